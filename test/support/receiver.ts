import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A call that a receiver has got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP server that keeps what it is sent. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers from now on: a status, or nothing at all. */
  answer: number | ((call: Received) => number | Promise<number>);
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const call = { headers: request.headers, body };
      receiver.received.push(call);
      const status = typeof receiver.answer === 'number' ? receiver.answer : await receiver.answer(call);
      response.writeHead(status).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer: 204,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
