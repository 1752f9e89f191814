import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** What a name server says of a name. */
export type Zone =
  { readonly txt: readonly string[] } | { readonly cname: string; readonly txt?: readonly string[] } | 'servfail' | 'silence';

/** A name server on loopback. Names that it was told nothing of do not exist. */
export interface TestDnsServer {
  /** `127.0.0.1:port`, as DNS_SERVERS takes it. */
  readonly address: string;
  /** The questions that have come, as `TXT _palisade.example.com`. */
  readonly asked: string[];
  set(name: string, zone: Zone | null): void;
  stop(): Promise<void>;
}

const TYPES: Readonly<Record<number, string>> = { 5: 'CNAME', 16: 'TXT' };
const [CNAME, TXT] = [5, 16];
const [NOERROR, SERVFAIL, NXDOMAIN] = [0, 2, 3];

/** The name at the head of a question, in lower case, and where it ends. */
function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

const nameBytes = (name: string): Buffer =>
  Buffer.concat([...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])), Buffer.from([0])]);

/** Texts of a TXT record are written in pieces of 255 bytes at most (RFC 1035, 3.3.14). */
function textBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const piece = bytes.subarray(at, at + 255);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  return Buffer.concat(pieces);
}

function record(name: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fixed, data]);
}

/** The answer to a question as a resolver gives it: aliases are followed, and their target's texts come with them. */
function answerTo(query: Buffer, zone: Exclude<Zone, 'silence'> | undefined): Buffer {
  const { end, name } = readName(query, 12);
  const type = query.readUInt16BE(end);
  const question = query.subarray(12, end + 4);
  const answers: Buffer[] = [];
  let code = zone === undefined ? NXDOMAIN : zone === 'servfail' ? SERVFAIL : NOERROR;
  if (zone !== undefined && zone !== 'servfail') {
    const target = 'cname' in zone ? zone.cname : null;
    if (target !== null && (type === CNAME || type === TXT)) answers.push(record(nameBytes(name), CNAME, nameBytes(target)));
    if (type === TXT) for (const text of zone.txt ?? []) answers.push(record(nameBytes(target ?? name), TXT, textBytes(text)));
    code = NOERROR;
  }
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  return Buffer.concat([header, question, ...answers]);
}

/** Starts a name server over UDP that answers what it is told (RFC 1035). */
export async function startDnsServer(): Promise<TestDnsServer> {
  const zones = new Map<string, Zone>();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, end } = readName(query, 12);
    const type = query.readUInt16BE(end);
    asked.push(`${TYPES[type] ?? type} ${name}`);
    const zone = zones.get(name);
    if (zone !== 'silence') socket.send(answerTo(query, zone), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    set: (name, zone) => void (zone === null ? zones.delete(name.toLowerCase()) : zones.set(name.toLowerCase(), zone)),
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
