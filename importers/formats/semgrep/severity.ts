import type { Severity } from '../../../schema/model.js';
import { toSeverity } from '../../normalize/severity.js';

/** Semgrep's own names for its levels: an error is high, a warning medium, the rest low (its documentation, "Rule severity"). */
const LEVELS: Readonly<Record<string, Severity>> = { error: 'high', warning: 'medium', info: 'low', inventory: 'info', experiment: 'info' };

export const semgrepSeverity = (word: string | undefined): Severity => LEVELS[word?.toLowerCase() ?? ''] ?? toSeverity(word) ?? 'medium';
