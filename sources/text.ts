import { readFileSync, statSync } from 'node:fs';

/** A file of source code past this is not read. */
const MAX_SOURCE_BYTES = 16 * 1024 ** 2;

/** Text that no UTF-8 is, or that is too long. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
}

/** The text of a source file. @throws UnreadableText */
export function readSourceText(path: string): string {
  if (statSync(path).size > MAX_SOURCE_BYTES) throw new UnreadableText(`it is larger than ${MAX_SOURCE_BYTES} bytes`);
  return textOf(readFileSync(path));
}

/** Bytes as text, without a byte order mark. @throws UnreadableText */
export function textOf(bytes: Buffer): string {
  if (bytes.length > MAX_SOURCE_BYTES) throw new UnreadableText(`it is larger than ${MAX_SOURCE_BYTES} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new UnreadableText('it is no UTF-8 text');
    throw error;
  }
}
