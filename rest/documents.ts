import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Outcome } from './envelopes.js';
import type { RestRoute } from './routes.js';

/** A piece of a document, as its field gives it. */
interface Piece {
  readonly media_type: string;
  readonly text: string;
  readonly next: string | null;
}

/**
 * Sends a document whose pieces a field gives one after the other, so that memory holds one of them. What goes wrong behind the first piece can only
 * break the answer off: the connection closes before its end.
 * @param first the first piece
 * @param ask asks for the piece that begins at a place
 */
export function sendDocument(
  reply: FastifyReply,
  route: RestRoute,
  first: unknown,
  ask: (after: string) => Promise<Outcome>,
): FastifyReply {
  const piece = first as Piece;
  return reply
    .code(route.status)
    .type(`${piece.media_type}; charset=utf-8`)
    .send(Readable.from(textsOf(piece, ask)));
}

async function* textsOf(first: Piece, ask: (after: string) => Promise<Outcome>): AsyncGenerator<string> {
  for (let piece = first; ;) {
    yield piece.text;
    if (piece.next === null) return;
    const outcome = await ask(piece.next);
    if (!outcome.ok) throw outcome.error;
    piece = outcome.value as Piece;
  }
}
