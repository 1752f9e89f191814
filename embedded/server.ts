import { createServer, type Server, type Socket } from 'node:net';
import { toRaw } from './bson/write.js';
import { Command } from './commands/command.js';
import type { ServerState } from './commands/context.js';
import { dispatch } from './commands/dispatch.js';
import { MessageReader, readRequest, writeReply } from './wire.js';

/** Accepts connections and answers their requests one after another. */
export class WireServer {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #nextConnection = 1;

  constructor(private readonly state: ServerState) {
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Listens on a port of 127.0.0.1 (0 for a free one) or on a Unix socket, and answers `127.0.0.1:<port>` or the socket's path. */
  listen(at: number | string): Promise<string> {
    const where = typeof at === 'string' ? { path: at } : { port: at, host: '127.0.0.1' };
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(where, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address ? `127.0.0.1:${address.port}` : String(at));
      });
    });
  }

  /** Ends all connections and stops listening. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  #accept(socket: Socket): void {
    const reader = new MessageReader();
    const connectionId = this.#nextConnection++;
    let last: Promise<void> = Promise.resolve();
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.state.sessions.connectionClosed(socket);
    });
    socket.on('data', (chunk) => {
      try {
        for (const message of reader.push(chunk))
          last = last.then(() => this.#answer(socket, message, connectionId)).catch(() => void socket.destroy());
      } catch {
        socket.destroy();
      }
    });
  }

  async #answer(socket: Socket, message: Buffer, connectionId: number): Promise<void> {
    const request = readRequest(message);
    const command = new Command(request.body, request.sequences, request.database);
    const reply = await dispatch(this.state, command, socket, connectionId);
    if (request.silent || socket.destroyed) return;
    const buffers = writeReply(request, Buffer.isBuffer(reply) ? reply : toRaw(reply));
    socket.cork();
    for (const buffer of buffers) socket.write(buffer);
    socket.uncork();
  }
}
