import type { Severity } from '../../schema/model.js';

/** Days from its first sighting after which an open finding is overdue (specification, "Severity scale"); null never is. */
export const OVERDUE_AFTER_DAYS: Readonly<Record<Severity, number | null>> = { critical: 7, high: 30, medium: 90, low: null, info: null };
