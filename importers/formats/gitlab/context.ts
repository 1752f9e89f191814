import type { PlaceDraft } from '../../normalize/observation.js';
import type { SecretRanks } from '../../normalize/secret-finding.js';
import { BrokenRecord, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';
import type { GitLabKind } from './kinds.js';

/** What the vulnerabilities of a report share. */
export interface GitLabContext {
  kind: GitLabKind | undefined;
  /** The scanner: several of GitLab's look at one project, and none closes the others' findings. */
  source: string;
  tool: string | undefined;
  toolVersion: string | undefined;
  hasFailed: boolean;
  place: PlaceDraft;
  /** File -> the package manager that it belongs to. */
  packageManagers: ReadonlyMap<string, string>;
  ranks: SecretRanks;
  options: ImportOptions;
}

/** One of a vulnerability's identifiers: `{"type": "cve", "value": "CVE-2024-1"}`. */
export interface Identifier {
  type: string;
  value: string;
  name: string | undefined;
  url: string | undefined;
}

/** The identifiers of a vulnerability, the scanner's own first. @throws BrokenRecord when there is none, nor any other name */
export function identifiersOf(record: JsonObject): [Identifier, ...Identifier[]] {
  const [first, ...others] = objectsAt(record, 'identifiers').flatMap((one): Identifier[] => {
    const value = textAt(one, 'value') ?? textAt(one, 'name');
    return value === undefined
      ? []
      : [{ type: (textAt(one, 'type') ?? '').toLowerCase(), value, name: textAt(one, 'name'), url: textAt(one, 'url') }];
  });
  if (first !== undefined) return [first, ...others];
  const name = textAt(record, 'name') ?? textAt(record, 'message');
  if (name === undefined) throw new BrokenRecord('identifiers are missing, and so is name');
  return [{ type: 'name', value: name, name, url: undefined }];
}

/** Weaknesses among the identifiers. */
export const weaknessesOf = (identifiers: readonly Identifier[]): string[] =>
  identifiers.filter(({ type }) => type === 'cwe').map(({ value }) => (/^\d+$/.test(value) ? `CWE-${value}` : value));

/** What a vulnerability says for people: addresses of its identifiers and links. */
export const linksOf = (record: JsonObject, identifiers: readonly Identifier[]): (string | undefined)[] => [
  ...identifiers.map(({ url }) => url),
  ...objectsAt(record, 'links').map((link) => textAt(link, 'url')),
];
