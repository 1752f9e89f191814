import { childrenOf, type RawValue } from '../bson/raw.js';
import { CommandError } from '../errors.js';

/** The text of an lsid document: its UUID in hexadecimal. Throws for a document without one. */
export function readLsid(lsid: RawValue): string {
  const id = childrenOf(lsid).find((e) => e.name === 'id')?.value;
  if (!id) throw new CommandError(40414, "BSON field 'lsid.id' is missing but a required field");
  return id.bytes.toString('hex');
}
