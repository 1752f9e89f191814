// What stands under the keys of the database: of a row a CRC-32 and its BSON, of a point the number of a record.
import { crc32 } from 'node:zlib';
import { StoreDamagedError } from '../folder/errors.js';

const CHECKSUM_SIZE = 4;

/** The value of a row: its checksum and its bytes. */
export function valueOfRow(bytes: Buffer): Buffer {
  const value = Buffer.allocUnsafeSlow(CHECKSUM_SIZE + bytes.length);
  value.writeUInt32LE(crc32(bytes), 0);
  value.set(bytes, CHECKSUM_SIZE);
  return value;
}

/** The bytes of a row's value, as they stand there. */
export const bytesOf = (value: Buffer): Buffer => value.subarray(CHECKSUM_SIZE);

/** The bytes of a row's value, held against their checksum. @throws StoreDamagedError */
export function rowOf(key: string, value: Buffer): Buffer {
  const bytes = bytesOf(value);
  if (crc32(bytes) !== value.readUInt32LE(0))
    throw new StoreDamagedError(`the row ${Buffer.from(key, 'latin1').toString('hex')} does not match its checksum`);
  return bytes;
}

const NUMBER_SIZE = 6;

/** A record number as the value of a point. */
export function valueOfNumber(number: number): Buffer {
  const value = Buffer.allocUnsafe(NUMBER_SIZE);
  value.writeUIntBE(number, 0, NUMBER_SIZE);
  return value;
}

/** The record number that a point holds. */
export function readNumber(value: Buffer): number {
  return value.readUIntBE(0, NUMBER_SIZE);
}
