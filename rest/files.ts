import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';

/** What the field of a file's route gives. */
const fileSchema = z.object({
  file_name: z.string().min(1),
  media_type: z.string().min(1),
  size: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  pieces: z.number().int().nonnegative(),
});

/** The text of the operation that gives a piece of a file. @param field a root field with the path parameters `names`, all ids, and `number` */
export const pieceOperation = (field: string, names: readonly string[]): string => {
  const declared = [...names.map((name) => `$${name}: ID!`), '$number: Int!'].join(', ');
  const passed = [...names, 'number'].map((name) => `${name}: $${name}`).join(', ');
  return `query(${declared}) { ${field}(${passed}) }`;
};

/** The file's bytes, a piece at a time, as the client takes them. @throws when a piece is missing: the client sees that the file was cut off */
async function* bytesOf(pieces: number, pieceOf: (number: number) => Promise<unknown>): AsyncGenerator<Buffer> {
  for (let number = 0; number < pieces; number++) {
    const piece = await pieceOf(number);
    if (typeof piece !== 'string') throw new Error(`piece ${number} of a file cannot be had`);
    yield Buffer.from(piece, 'base64');
  }
}

/**
 * Sends a file as an attachment, with its length and its digest (RFC 9530).
 * @param value what the field of the route gave
 * @param pieceOf gives a piece in base64; it is asked again for each, so that memory holds one
 * @throws when `value` does not describe a file
 */
export function sendFile(reply: FastifyReply, value: unknown, pieceOf: (number: number) => Promise<unknown>): FastifyReply {
  const { file_name, media_type, size, sha256, pieces } = fileSchema.parse(value);
  return reply
    .header('content-disposition', `attachment; filename="${file_name.replace(/[^\w.-]/g, '_')}"`)
    .header('content-length', size)
    .header('repr-digest', `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`)
    .header('cache-control', 'private, no-store')
    .type(media_type)
    .send(Readable.from(bytesOf(pieces, pieceOf), { objectMode: false }));
}
