import type { SecretFinding, SecretPlace } from '../../normalize/secret-finding.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { BrokenRecord, numberAt, textAt, type JsonObject } from '../../readers/json/fields.js';

/** What both forms of a leak say. @throws BrokenRecord for one that names no rule */
export function gitleaksLeak(
  record: JsonObject,
): Pick<SecretFinding, 'detector' | 'description' | 'file' | 'startLine' | 'endLine' | 'startColumn' | 'commit' | 'urls' | 'secrets'> {
  const where = placeOfLeak(record);
  if (where === undefined) throw new BrokenRecord('RuleID is missing');
  return {
    detector: where.detector,
    description: textAt(record, 'Description'),
    file: where.file,
    startLine: where.line,
    endLine: numberAt(record, 'EndLine') ?? where.line,
    startColumn: where.column,
    commit: where.commit,
    urls: [textAt(record, 'Link'), textAt(record, 'leakURL')],
    secrets: [textAt(record, 'Secret'), textAt(record, 'Match'), textAt(record, 'offender'), textAt(record, 'line')],
  };
}

/** Where a leak stands; undefined for a record that names no rule. */
export function placeOfLeak(record: JsonObject): SecretPlace | undefined {
  const detector = textAt(record, 'RuleID') ?? textAt(record, 'rule') ?? textAt(record, 'Description');
  const file = textAt(record, 'File') ?? textAt(record, 'file');
  if (detector === undefined) return undefined;
  return {
    detector,
    file: file === undefined ? undefined : repositoryFile(file),
    commit: textAt(record, 'Commit') ?? textAt(record, 'commit'),
    line: numberAt(record, 'StartLine') ?? numberAt(record, 'lineNumber'),
    column: numberAt(record, 'StartColumn'),
  };
}

/** The address of the repository, where the report knows it: `https://github.com/acme/shop` of a link to a line. */
export function repositoryOf(record: JsonObject): string | undefined {
  const link = textAt(record, 'Link') ?? textAt(record, 'leakURL');
  return textAt(record, 'repoURL') ?? /^(https?:\/\/.+?)\/(?:-\/)?(?:blob|src|commit|raw|tree)\//.exec(link ?? '')?.[1];
}
