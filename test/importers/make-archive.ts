import { crc32, deflateRawSync } from 'node:zlib';

/** An entry to be packed; the rest spoils it. */
export interface Packed {
  name: string;
  bytes: string | Buffer;
  /** zip: `0` stored, `8` deflated, or a method that only the header states. */
  method?: number;
  encrypted?: boolean;
  /** zip: what the directory states instead of the truth. */
  stated?: { size?: number; crc?: number };
  /** tar: a type other than that of a file. */
  type?: string;
}

/** A zip archive. */
export function zipOf(entries: readonly Packed[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, method = 8, encrypted = false, stated = {} } of entries) {
    const raw = Buffer.from(bytes);
    const packed = method === 0 ? raw : deflateRawSync(raw);
    const label = Buffer.from(name);
    // from the flags to the length of the extra field, which both headers have
    const common = Buffer.alloc(24);
    common.writeUInt16LE(0x800 | (encrypted ? 1 : 0), 0);
    common.writeUInt16LE(method, 2);
    common.writeUInt32LE(stated.crc ?? crc32(raw), 8);
    common.writeUInt32LE(packed.length, 12);
    common.writeUInt32LE(stated.size ?? raw.length, 16);
    common.writeUInt16LE(label.length, 20);
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4, 20, 0]), common, label, packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from([0x50, 0x4b, 1, 2, 20, 3, 20, 0]), common, place, label);
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}

/** A tar archive (ustar), with a pax record before a name that is too long for a header. */
export function tarOf(entries: readonly Packed[]): Buffer {
  const blocks = entries.flatMap(({ name, bytes, type = '0' }) => {
    const raw = Buffer.from(bytes);
    const long = Buffer.byteLength(name) > 100 ? [...tarBlocks('pax', paxPath(name), 'x')] : [];
    return [...long, ...tarBlocks(name, raw, type)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

function tarBlocks(name: string, bytes: Buffer, type: string): Buffer[] {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100, 'utf8');
  header.write('0000644\0', 100);
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}

function paxPath(name: string): Buffer {
  const rest = ` path=${name}\n`;
  const length = Buffer.byteLength(rest) + 3;
  return Buffer.from(`${length}${rest}`);
}
