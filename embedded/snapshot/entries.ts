import type { Document } from 'bson';
import { decodeDocument } from '../bson/decode.js';
import { BSON, getField, readString, someValue } from '../bson/raw.js';
import { toRaw } from '../bson/write.js';
import { HEADER_SIZE, sealRecord } from './record.js';

/** One change in the journal. */
export type Entry =
  | { readonly kind: 'put'; readonly namespace: string; readonly bytes: Buffer }
  | { readonly kind: 'remove'; readonly namespace: string; readonly bytes: Buffer }
  | { readonly kind: 'catalog'; readonly change: Document };

const KINDS = { put: 'p', remove: 'r', catalog: 'c' } as const;
const P = Buffer.from('p');
const R = Buffer.from('r');
const C = Buffer.from('c');
const D = Buffer.from('d');
const W = Buffer.from('w');

interface Part {
  readonly name: Buffer;
  readonly letter: string;
  readonly namespace: Buffer;
  readonly bytes: Buffer;
  readonly size: number;
}

function partOf(entry: Entry, index: number): Part {
  const name = Buffer.from(`${index}\0`, 'latin1');
  const namespace = Buffer.from(`${entry.kind === 'catalog' ? '' : entry.namespace}\0`);
  const bytes = entry.kind === 'catalog' ? toRaw(entry.change) : entry.bytes;
  return { name, letter: KINDS[entry.kind], namespace, bytes, size: 5 + (3 + 4 + namespace.length) + (3 + bytes.length) };
}

/** One journal record of many entries: header and the payload `{ w: [{ <kind>: namespace, d: document }, ...] }`. */
export function encodeRecord(entries: readonly Entry[]): Buffer {
  const parts = entries.map(partOf);
  const arraySize = parts.reduce((sum, p) => sum + 1 + p.name.length + p.size, 5);
  const size = 5 + 3 + arraySize;
  const out = Buffer.allocUnsafe(HEADER_SIZE + size);
  let at = out.writeInt32LE(size, HEADER_SIZE);
  at = writeName(out, at, BSON.array, 'w');
  at = out.writeInt32LE(arraySize, at);
  for (const { name, letter, namespace, bytes, size: partSize } of parts) {
    out[at++] = BSON.object;
    out.set(name, at);
    at = out.writeInt32LE(partSize, at + name.length);
    at = writeName(out, at, BSON.string, letter);
    at = out.writeInt32LE(namespace.length, at);
    out.set(namespace, at);
    at = writeName(out, at + namespace.length, BSON.object, 'd');
    out.set(bytes, at);
    at += bytes.length;
    out[at++] = 0;
  }
  out[at++] = 0;
  out[at] = 0;
  sealRecord(out);
  return out;
}

function writeName(out: Buffer, at: number, type: number, name: string): number {
  out[at] = type;
  out[at + 1] = name.charCodeAt(0);
  out[at + 2] = 0;
  return at + 3;
}

/** Calls `apply` for each entry of a record's payload. The bytes are copies. */
export function decodeRecord(payload: Buffer, apply: (entry: Entry) => void): void {
  const entries = getField(payload, 0, W);
  if (!entries) return;
  someValue(payload, entries.off, (_type, off) => {
    const document = getField(payload, off, D);
    if (!document) return false;
    const put = getField(payload, off, P);
    const remove = put ? undefined : getField(payload, off, R);
    if (put) apply({ kind: 'put', namespace: readString(put), bytes: copyOf(document.bytes) });
    else if (remove) apply({ kind: 'remove', namespace: readString(remove), bytes: copyOf(document.bytes) });
    else if (getField(payload, off, C)) apply({ kind: 'catalog', change: decodeDocument(document.buf, document.off) });
    return false;
  });
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
