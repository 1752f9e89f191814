import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message as an endpoint got it. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What an endpoint answers: a status, with headers and a body when needed; null never answers. */
export type Reply = number | { status: number; headers?: Record<string, string>; body?: string } | null;

/** An endpoint of a test: a real HTTP server on loopback. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Connections that it has seen. */
  connections(): number;
  /** Highest number of messages that it had unanswered at the same time. */
  mostAtOnce(): number;
  /** Resolves when `count` messages have come. @throws after `seconds` */
  until(count: number, seconds?: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** @param reply asked for every message; the answer is 204 when absent. @param host loopback address to listen on */
export async function openReceiver(
  reply: (message: Received, n: number) => Reply | Promise<Reply> = () => 204,
  host = '127.0.0.1',
): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let [connections, open, most] = [0, 0, 0];
  const server: Server = createServer(async (request, response) => {
    most = Math.max(most, ++open);
    response.once('close', () => open--);
    const message = { path: request.url!, headers: request.headers, body: await text(request) };
    received.push(message);
    const answer = await reply(message, received.length);
    if (answer === null) return;
    const { status, headers = {}, body = '' } = typeof answer === 'number' ? { status: answer } : answer;
    response.writeHead(status, headers).end(body);
  });
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    received,
    connections: () => connections,
    mostAtOnce: () => most,
    async until(count, seconds = 300) {
      for (const end = Date.now() + seconds * 1000; received.length < count; await new Promise((resolve) => setTimeout(resolve, 10)))
        if (Date.now() > end) throw new Error(`${received.length} of ${count} messages came`);
      return received;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Asks again until `read` gives something that passes. @throws after `seconds`, with what it gave last */
export async function eventually<T>(read: () => Promise<T>, passes: (value: T) => boolean, seconds = 300): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; await new Promise((resolve) => setTimeout(resolve, 25))) {
    const value = await read();
    if (passes(value)) return value;
    if (Date.now() > end) throw new Error(`it did not come to pass: ${JSON.stringify(value)}`);
  }
}
