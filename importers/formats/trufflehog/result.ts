import { codePlace } from '../../normalize/artifact.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import type { SecretFinding, SecretPlace } from '../../normalize/secret-finding.js';
import { asObject, compact, member, numberAt, objectAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { toSeverity } from '../../normalize/severity.js';
import type { ImportOptions } from '../../types.js';
import { placeOfSource } from './place.js';

/** One result, whichever version wrote it. */
export type TruffleHogResult = Pick<SecretFinding, 'engine' | 'description' | 'severity' | 'verified' | 'evidence' | 'secrets' | 'place'> &
  SecretPlace & { link: string | undefined };

/** What detectors add that names the secret's owner and is no part of it. */
const FACTS = ['account', 'arn', 'user_id', 'is_canary', 'rotation_guide', 'resource_type', 'username', 'scopes', 'expires_at'];

/** Whether a line is of TruffleHog's log. */
export const isLogLine = (record: JsonObject): boolean => textAt(record, 'msg') !== undefined && textAt(record, 'level') !== undefined;

/** Reads a result; undefined for what is none. */
export function truffleHogResult(record: JsonObject, options: ImportOptions): TruffleHogResult | undefined {
  if (asObject(member(record, 'SourceMetadata')) !== undefined) return resultOfVersion3(record, options);
  return objectAt(record, 'rule') === undefined ? resultOfVersion2(record, options) : resultOfFork(record, options);
}

function resultOfVersion3(record: JsonObject, options: ImportOptions): TruffleHogResult | undefined {
  const detector = textAt(record, 'DetectorName') ?? textAt(record, 'DetectorType');
  const sources = Object.entries(objectAt(objectAt(record, 'SourceMetadata'), 'Data') ?? {});
  const [kind, data] = sources.find(([, value]) => asObject(value) !== undefined) ?? ['Stdin', {}];
  if (detector === undefined) return undefined;
  const { engine, place, file, line, commit, link } = placeOfSource(kind, asObject(data) ?? {}, options);
  const extra = objectAt(record, 'ExtraData');
  return {
    detector,
    engine,
    description: textAt(record, 'DetectorDescription'),
    // what was not seen to work is often none: its users look at verified results first
    severity: 'medium',
    verified: member(record, 'Verified') === true,
    place,
    file: file === undefined ? undefined : engine === 'secops' ? repositoryFile(file, { artifact: options.artifact }) : file,
    line,
    commit,
    link,
    evidence: compact({
      scanned: kind,
      decoder: textAt(record, 'DecoderName'),
      verification_error: textAt(record, 'VerificationError'),
      committed_at: textAt(asObject(data), 'timestamp'),
      ...Object.fromEntries(FACTS.map((key) => [`owner_${key}`, textAt(extra, key)])),
    }),
    secrets: secretsOf(record),
  };
}

/** The secret in all forms that a result has it in. Early releases of version 3 write bytes, which JSON shows in base64. */
function secretsOf(record: JsonObject): string[] {
  const raw = ['Raw', 'RawV2'].flatMap((key) => textAt(record, key) ?? []);
  const decoded = raw.map((text) => Buffer.from(text, 'base64').toString('utf8')).filter((text) => !text.includes('\ufffd'));
  return [...raw, ...decoded, ...textsAt(record, 'Redacted')];
}

function resultOfVersion2(record: JsonObject, options: ImportOptions): TruffleHogResult | undefined {
  const strings = textsAt(record, 'stringsFound');
  const reason = textAt(record, 'reason');
  if (reason === undefined && strings.length === 0) return undefined;
  const path = textAt(record, 'path');
  return {
    detector: reason ?? 'High Entropy',
    engine: 'secops',
    place: codePlace({}, options),
    file: path === undefined ? undefined : repositoryFile(path, { artifact: options.artifact }),
    commit: textAt(record, 'commitHash'),
    link: undefined,
    evidence: compact({
      scanned: 'Git',
      branch: textAt(record, 'branch'),
      committed_at: textAt(record, 'date'),
      occurrences: strings.length,
    }),
    secrets: strings,
  };
}

/** The tool of that name and a 3 in it, a successor of version 2 by another author. */
function resultOfFork(record: JsonObject, options: ImportOptions): TruffleHogResult | undefined {
  const rule = objectAt(record, 'rule');
  const detector = textAt(rule, 'id') ?? textAt(rule, 'message');
  const path = textAt(record, 'path');
  if (detector === undefined) return undefined;
  return {
    detector,
    engine: 'secops',
    severity: toSeverity(textAt(rule, 'severity')),
    place: codePlace({}, options),
    file: path === undefined ? undefined : repositoryFile(path, { artifact: options.artifact }),
    line: numberAt(record, 'line'),
    commit: textAt(record, 'commit'),
    link: undefined,
    evidence: compact({ scanned: 'Git', branch: textAt(record, 'branch'), committed_at: textAt(record, 'date') }),
    secrets: textsAt(record, 'secret'),
  };
}
