import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, openSync, fsyncSync, closeSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

/** A backup cannot be made or put back; the message says why. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

const MANIFEST = 'manifest.json';
const fileSchema = z.strictObject({
  /** Relative to the backup's folder. */
  path: z.string().regex(/^(store\/snapshot-00000001\.bin|objects\/[0-9a-f]{32}\/[0-9a-f-]{36}(\.sha256)?)$/),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
const manifestSchema = z.strictObject({
  format: z.literal('palisade backup'),
  /** Of the files' names; counts on when they change. */
  layout: z.literal(1),
  /** The release that made it. */
  version: z.string(),
  made_at: z.iso.datetime(),
  /** Fingerprint of the master key that the data is under. The key itself is never in a backup. */
  master_key: z.string().regex(/^[0-9a-f]{32}$/),
  files: z.array(fileSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type BackupFile = z.infer<typeof fileSchema>;

/** Copies a file, through to the disk. @returns its size and checksum, as they were read */
export async function copyChecked(from: string, to: string): Promise<Omit<BackupFile, 'path'>> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(createReadStream(from), counted, createWriteStream(to, { mode: 0o600, flush: true }));
  return { bytes, sha256: hash.digest('hex') };
}

/** The size and checksum of a file. */
export async function checksumOf(path: string): Promise<Omit<BackupFile, 'path'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    hash.update(chunk);
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Writes the manifest, last of all: a folder with one is a whole backup. */
export function writeManifest(folder: string, manifest: Manifest): void {
  const path = join(folder, MANIFEST);
  writeFileSync(`${path}.part`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.part`, path);
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** @throws BackupError where there is no manifest, or none of this form */
export function readManifest(folder: string): Manifest {
  let text: string;
  try {
    text = readFileSync(join(folder, MANIFEST), 'utf8');
  } catch {
    throw new BackupError(`${folder} holds no whole backup: ${MANIFEST} is missing`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new BackupError(`${join(folder, MANIFEST)} is damaged`);
  }
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) throw new BackupError(`${join(folder, MANIFEST)} is damaged, or of another release`);
  return parsed.data;
}
