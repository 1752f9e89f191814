import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server on loopback that stands in for a service of others. */
export interface StandIn {
  readonly url: string;
  close(): Promise<void>;
}

export interface StandInRequest {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
}

/** @param answer writes the response */
export async function startStandIn(answer: (request: StandInRequest, response: ServerResponse) => unknown): Promise<StandIn> {
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    // whoever asked has gone
    if (body === null) return;
    await answer({ method: request.method!, url: new URL(request.url!, 'http://stand-in'), headers: request.headers, body }, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Waits until `look` gives something. @throws after `seconds`, naming what was waited for */
export async function until<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  seconds = 300,
): Promise<T> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const seen = await look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
  }
  throw new Error(`nothing came of: ${what}`);
}
