// The MongoDB wire protocol: OP_MSG, and OP_QUERY for the first hello of a connection.
import { readInt32, RawValue, BSON, cstringEnd } from './bson/raw.js';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;
const MORE_TO_COME = 2;
const CHECKSUM_PRESENT = 1;

/** The largest message that the protocol allows. */
export const MAX_MESSAGE_SIZE = 48_000_000;

/** One request: its command document, and document sequences by argument name. */
export interface WireRequest {
  readonly requestId: number;
  readonly legacy: boolean;
  /** The client wants no reply. */
  readonly silent: boolean;
  /** The database, when it is not in the document (OP_QUERY). */
  readonly database: string | undefined;
  readonly body: RawValue;
  readonly sequences: ReadonlyMap<string, readonly RawValue[]>;
}

export class ProtocolError extends Error {}

/** Cuts a stream of bytes into messages. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #size = 0;

  /** Takes bytes as they come; answers the messages that are complete. Throws ProtocolError. */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const messages: Buffer[] = [];
    while (this.#size >= 4) {
      const length = this.#peekLength();
      if (length < HEADER || length > MAX_MESSAGE_SIZE) throw new ProtocolError(`a message of ${length} bytes`);
      if (this.#size < length) break;
      const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
      messages.push(all.subarray(0, length));
      this.#chunks = all.length > length ? [all.subarray(length)] : [];
      this.#size -= length;
    }
    return messages;
  }

  #peekLength(): number {
    if (this.#chunks[0]!.length < 4) this.#chunks = [Buffer.concat(this.#chunks)];
    return readInt32(this.#chunks[0]!, 0);
  }
}

/** Reads one message. Throws ProtocolError. */
export function readRequest(message: Buffer): WireRequest {
  const requestId = readInt32(message, 4);
  const code = readInt32(message, 12);
  if (code === OP_MSG) return readMsg(message, requestId);
  if (code !== OP_QUERY) throw new ProtocolError(`the operation ${code} is not supported`);
  const nameEnd = cstringEnd(message, HEADER + 4);
  const database = message.toString('utf8', HEADER + 4, nameEnd).split('.')[0];
  return { requestId, legacy: true, silent: false, database, body: documentAt(message, nameEnd + 9), sequences: new Map() };
}

function documentAt(message: Buffer, off: number): RawValue {
  const length = readInt32(message, off);
  if (length < 5 || off + length > message.length || message[off + length - 1] !== 0)
    throw new ProtocolError('a document does not fit its message');
  return new RawValue(BSON.object, message, off, off + length);
}

function readMsg(message: Buffer, requestId: number): WireRequest {
  const flags = readInt32(message, HEADER);
  const end = message.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  const sequences = new Map<string, RawValue[]>();
  let body: RawValue | undefined;
  let pos = HEADER + 4;
  while (pos < end) {
    const kind = message[pos++];
    if (kind === 0) {
      body = documentAt(message, pos);
      pos = body.end;
    } else if (kind === 1) {
      const sectionEnd = pos + readInt32(message, pos);
      const nameEnd = cstringEnd(message, pos + 4);
      const documents: RawValue[] = [];
      for (let at = nameEnd + 1; at < sectionEnd; at = documents[documents.length - 1]!.end) documents.push(documentAt(message, at));
      sequences.set(message.toString('utf8', pos + 4, nameEnd), documents);
      pos = sectionEnd;
    } else throw new ProtocolError(`a section of kind ${kind}`);
  }
  if (!body) throw new ProtocolError('a message without a command');
  return { requestId, legacy: false, silent: (flags & MORE_TO_COME) !== 0, database: undefined, body, sequences };
}

let nextReplyId = 1;

/** The header and reply document of one answer, as buffers to write one after the other. */
export function writeReply(request: WireRequest, reply: Buffer): Buffer[] {
  const extra = request.legacy ? 20 : 5;
  const head = Buffer.alloc(HEADER + extra);
  head.writeInt32LE(head.length + reply.length, 0);
  head.writeInt32LE(nextReplyId++ & 0x7fffffff, 4);
  head.writeInt32LE(request.requestId, 8);
  head.writeInt32LE(request.legacy ? OP_REPLY : OP_MSG, 12);
  if (request.legacy) {
    head.writeInt32LE(8, HEADER);
    head.writeInt32LE(1, HEADER + 16);
  }
  return [head, reply];
}
