import type { PlaceDraft } from '../../normalize/observation.js';
import type { SecretRanks } from '../../normalize/secret-finding.js';
import { toSeverity } from '../../normalize/severity.js';
import { listAt, objectAt, textAt, type JsonObject, plainText } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';
import type { Severity } from '../../../schema/model.js';

/** A framework that was checked: `terraform`, `kubernetes`, `secrets`, `sca_package`. */
export interface CheckovFramework {
  name: string;
  subject: 'infrastructure' | 'secret' | 'package' | 'code';
}

/** What the checks of a report share. */
export interface CheckovContext {
  /** By the place in the array; -1 for a report of one framework. */
  frameworks: ReadonlyMap<number, CheckovFramework>;
  isList: boolean;
  place: PlaceDraft;
  ranks: SecretRanks;
  options: ImportOptions;
}

/** What came of a check; undefined for one that was skipped or could not be decided. */
export function resultOf(record: JsonObject): 'PASS' | 'FAIL' | undefined {
  const word = textAt(objectAt(record, 'check_result'), 'result')?.toUpperCase();
  return word === 'PASSED' ? 'PASS' : word === 'FAILED' ? 'FAIL' : undefined;
}

/** Checkov rates a check only for who has an account: without one, all are alike. */
export const severityOf = (record: JsonObject): Severity => toSeverity(textAt(record, 'severity')) ?? 'medium';

/** The file from the root of the repository; older releases name it from the root of the scan. */
export const fileOf = (record: JsonObject): string =>
  (textAt(record, 'repo_file_path') ?? textAt(record, 'file_path') ?? 'unknown').replace(/\\/g, '/').replace(/^(?:\.?\/)+/, '') ||
  'unknown';

/** First and last line of what was checked. */
export function rangeOf(record: JsonObject): [start: number | undefined, end: number | undefined] {
  const [start, end] = listAt(record, 'file_line_range').map((line) => (typeof line === 'number' && line > 0 ? line : undefined));
  return [start, end];
}

/** The lines of `code_block`, pairs of a number and a text. */
export const linesOf = (record: JsonObject): string[] =>
  listAt(record, 'code_block').flatMap((line) =>
    Array.isArray(line) && typeof line[1] === 'string' ? [`${plainText(line[0])}: ${line[1].replace(/\n$/, '')}`] : [],
  );
