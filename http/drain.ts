import type { IncomingMessage } from 'node:http';

/** How long, in milliseconds, and how many bytes of a refused body are still read, so that its sender gets to see the answer. */
const PATIENCE = { milliseconds: 5_000, bytes: 67_108_864 };

/**
 * Reads the rest of a body that nobody wants and throws it away. Closing at once would reset the connection, and the client, still
 * sending, would never read why. A sender that goes on past the patience is cut off.
 */
export function drain(body: IncomingMessage): void {
  if (body.complete || body.destroyed) return;
  let left = PATIENCE.bytes;
  const timer = setTimeout(() => body.destroy(), PATIENCE.milliseconds).unref();
  body.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) body.destroy();
  });
  body.once('close', () => clearTimeout(timer));
  body.once('end', () => clearTimeout(timer));
  body.on('error', () => clearTimeout(timer));
  body.resume();
}
