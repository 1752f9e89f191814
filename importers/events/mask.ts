import { maskValue } from '../../redaction/redact-fast.js';
import { isSecretPair } from '../../redaction/secret-keys.js';
import { asObject, member, type JsonObject } from '../readers/json/fields.js';
import type { Path } from './table.js';

/** What of a credential's id is kept: its last characters. */
export const keyEnd = (id: string): string => id.slice(-4);

/**
 * The record of an event without secrets, masked member by member, so that one which holds a secret does not make the others pay.
 * @param keys where ids of credentials stand: of each the end stays
 */
export function maskRecord(record: JsonObject, keys: readonly Path[]): Record<string, unknown> {
  let open = record;
  for (const path of keys) open = withKeyEnd(open, path);
  const names = Object.keys(open);
  if (isSecretPair(open, names)) return maskValue({ ...open });
  const masked = { ...open };
  for (const name of names) {
    const own = { [name]: open[name] };
    const kept = maskValue(own);
    if (kept === own) continue;
    delete masked[name];
    // not by assignment: a member may be called `__proto__`
    for (const [key, value] of Object.entries(kept))
      Object.defineProperty(masked, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return masked;
}

/** A copy in which the text at a path is cut to its end. */
function withKeyEnd(record: JsonObject, [step = '', ...rest]: Path): JsonObject {
  const value = member(record, step);
  if (rest.length === 0) return typeof value === 'string' && value !== '' ? { ...record, [step]: `…${keyEnd(value)}` } : record;
  const inner = asObject(value);
  if (inner === undefined) return record;
  const changed = withKeyEnd(inner, rest);
  return changed === inner ? record : { ...record, [step]: changed };
}
