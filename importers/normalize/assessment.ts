import { maskText } from '../../redaction/redact-fast.js';
import type { ImportItem } from '../types.js';
import { safeId } from './observation.js';
import { packageKey, type PackageName } from './purl.js';

/** A statement of who makes a thing, or has looked, that a vulnerability does not concern it (VEX). */
export interface AssessmentDraft {
  /** All names of the vulnerability. */
  names: readonly string[];
  artifacts?: readonly string[];
  package?: PackageName | undefined;
  /** Why, in the words of the statement. */
  reasons: readonly (string | undefined)[];
  position: string;
}

const LONGEST_NOTE = 1_900;

/** The item of such a statement. */
export function assessmentItem({ names, artifacts, package: affected, reasons, position }: AssessmentDraft): ImportItem {
  const note = maskText(reasons.filter((reason) => reason !== undefined && reason !== '').join(': ')).slice(0, LONGEST_NOTE);
  return {
    kind: 'assessment',
    assessment: {
      engine: 'vulnerability',
      rule_ids: [...new Set(names)],
      ...(artifacts && { artifacts: artifacts.map(safeId) }),
      ...(affected && { package: safeId(packageKey(affected)) }),
      note,
      position,
    },
  };
}
