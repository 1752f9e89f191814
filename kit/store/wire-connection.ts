import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { mongo } from 'mongoose';

const OP_MSG = 2013;
/** Bytes before the document of a message: length, id, id answered, code; flags and the kind of its one section. */
const HEADER = 16;
const DOCUMENT = HEADER + 4 + 1;

interface Waiting {
  resolve(reply: mongo.BSON.Document): void;
  reject(error: Error): void;
}

/**
 * One connection that speaks MongoDB's wire protocol (OP_MSG with one document each way), without sign-in, encryption and compression.
 * Commands may follow one another without waiting; the server answers them in order.
 */
export class WireConnection {
  private readonly socket: Socket;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 1;
  private chunks: Buffer[] = [];
  private size = 0;
  private ended: Error | null = null;

  constructor(at: NetConnectOpts) {
    this.socket = connect(at);
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.on('error', (error) => this.end(error));
    this.socket.on('close', () => this.end(new Error('the connection to the store is closed')));
  }

  /** Commands that wait for their answer. */
  get load(): number {
    return this.waiting.size;
  }

  get isOpen(): boolean {
    return this.ended === null;
  }

  /** Sends a command, which names its database in `$db`. @throws when the connection ends before the answer */
  run(command: mongo.BSON.Document): Promise<mongo.BSON.Document> {
    if (this.ended) return Promise.reject(this.ended);
    const document = mongo.BSON.serialize(command, { ignoreUndefined: true });
    const message = Buffer.allocUnsafe(DOCUMENT + document.length);
    const id = this.nextId;
    this.nextId = (id + 1) % 0x7fff_ffff;
    message.writeInt32LE(message.length, 0);
    message.writeInt32LE(id, 4);
    message.writeInt32LE(0, 8);
    message.writeInt32LE(OP_MSG, 12);
    message.fill(0, HEADER, DOCUMENT);
    message.set(document, DOCUMENT);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.socket.write(message);
    });
  }

  close(): void {
    this.end(new Error('the connection to the store is closed'));
  }

  private end(error: Error): void {
    this.ended ??= error;
    this.socket.destroy();
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }

  private take(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    while (this.size >= HEADER) {
      // joined only when a message is whole, so that a long one is not copied once a chunk
      if (this.chunks[0]!.length < HEADER) this.chunks = [Buffer.concat(this.chunks)];
      const length = this.chunks[0]!.readInt32LE(0);
      if (this.size < length) return;
      const bytes = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
      this.chunks = bytes.length > length ? [bytes.subarray(length)] : [];
      this.size -= length;
      this.answer(bytes.subarray(0, length));
    }
  }

  private answer(message: Buffer): void {
    const id = message.readInt32LE(8);
    const waiting = this.waiting.get(id);
    if (!waiting || message.readInt32LE(12) !== OP_MSG || message[DOCUMENT - 1] !== 0)
      return this.end(new Error('the store has answered what nobody asked'));
    this.waiting.delete(id);
    try {
      const end = DOCUMENT + message.readInt32LE(DOCUMENT);
      waiting.resolve(mongo.BSON.deserialize(message.subarray(DOCUMENT, end)));
    } catch (error) {
      waiting.reject(error as Error);
    }
  }
}
