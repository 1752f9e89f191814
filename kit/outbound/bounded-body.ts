/** The other side answers with more than is read of it. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
}

/**
 * The whole body of an answer, of which at most `limit` bytes are ever held.
 * @throws BodyTooLong when there is more; what reading throws
 */
export async function readBounded(body: AsyncIterable<Uint8Array> | null, limit: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > limit) throw new BodyTooLong(`the other side answers with more than ${limit} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
