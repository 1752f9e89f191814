import { BSON } from '../bson/raw.js';

const DIGITS = Array.from({ length: 1000 }, (_, i) => Buffer.from(`${i}\0`, 'latin1'));

function indexName(i: number): Buffer {
  return DIGITS[i] ?? Buffer.from(`${i}\0`, 'latin1');
}

/** The reply `{ cursor: { <batchName>: [...], id, ns }, ok: 1 }`, with the documents copied as they are. */
export function cursorReply(batchName: 'firstBatch' | 'nextBatch', documents: readonly Buffer[], id: number, namespace: string): Buffer {
  let arraySize = 5;
  for (let i = 0; i < documents.length; i++) arraySize += 1 + indexName(i).length + documents[i]!.length;
  const nsSize = Buffer.byteLength(namespace) + 1;
  const cursorSize = 5 + (2 + batchName.length + arraySize) + (1 + 3 + 8) + (1 + 3 + 4 + nsSize);
  const size = 5 + (1 + 7 + cursorSize) + (1 + 3 + 8);
  const out = Buffer.allocUnsafe(size);
  let at = out.writeInt32LE(size, 0);
  const name = (type: number, text: string): void => {
    out[at++] = type;
    at += out.write(text, at, 'latin1');
    out[at++] = 0;
  };
  name(BSON.object, 'cursor');
  at = out.writeInt32LE(cursorSize, at);
  name(BSON.array, batchName);
  at = out.writeInt32LE(arraySize, at);
  for (let i = 0; i < documents.length; i++) {
    out[at++] = BSON.object;
    const key = indexName(i);
    for (let k = 0; k < key.length; k++) out[at++] = key[k]!;
    const document = documents[i]!;
    out.set(document, at);
    at += document.length;
  }
  out[at++] = 0;
  name(BSON.long, 'id');
  at = out.writeBigInt64LE(BigInt(id), at);
  name(BSON.string, 'ns');
  at = out.writeInt32LE(nsSize, at);
  at += out.write(namespace, at, 'utf8');
  out[at++] = 0;
  out[at++] = 0;
  name(BSON.double, 'ok');
  at = out.writeDoubleLE(1, at);
  out[at] = 0;
  return out;
}
