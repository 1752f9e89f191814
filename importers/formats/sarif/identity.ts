import { objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import { shortHash } from '../../normalize/identity.js';
import { REDACTED } from '../../../redaction/secret-keys.js';
import type { SarifPlace } from './location.js';

/**
 * What keeps a result the same while lines move: the file with the tool's fingerprints, else with the code or the message.
 * The column of GitHub's line hash and hashes of whole files change with every edit and are left out.
 */
export function discriminatorOf(result: JsonObject, place: SarifPlace, message: string | undefined): string {
  const where = place.file ?? place.logical ?? '';
  const guid = textAt(result, 'correlationGuid');
  if (guid !== undefined) return `${where}|${guid}`;
  for (const name of ['fingerprints', 'partialFingerprints']) {
    const prints = objectAt(result, name);
    const keys = Object.keys(prints ?? {}).filter(
      (key) => !/ColumnFingerprint|file.?hash|date|email|author|message/i.test(key) && textAt(prints, key) !== undefined,
    );
    const wholly = keys.length > 0 && keys.every((key) => /^commit/i.test(key)) ? [String(place.line ?? '')] : [];
    if (keys.length > 0)
      return `${where}|${shortHash([...keys.sort().map((key) => `${key}=${textAt(prints, key)}`), ...wholly].join('\n'))}`;
  }
  const code = place.snippet?.replace(/\s+/g, ' ').trim();
  return `${where}|${shortHash(code === undefined || code === '' ? (message ?? '') : code)}`;
}

/**
 * As `discriminatorOf`, of a result that shows a secret: neither the code around it nor the tool's digest of what matched, by both of which a
 * weak secret could be found out. The commit stays, which says nothing of it.
 */
export function secretDiscriminator(result: JsonObject, place: SarifPlace): string {
  const where = place.file ?? place.logical ?? '';
  const commit = ['fingerprints', 'partialFingerprints']
    .map((name) => objectAt(result, name))
    .map((prints) => textAt(prints, 'commitSha') ?? textAt(prints, 'commit'))
    .find((sha) => sha !== undefined);
  return commit === undefined ? where : `${where}@${commit}:${place.line ?? ''}`;
}

/** What a message quotes may be the secret. */
export function withoutQuotes(text: string | undefined, snippet: string | undefined): string | undefined {
  const bare = text?.replace(/(["'`])(?:(?!\1).){3,400}\1/g, (_whole, quote: string) => `${quote}${REDACTED}${quote}`);
  const code = snippet?.trim() ?? '';
  return code.length < 6 ? bare : bare?.replaceAll(code, REDACTED);
}
