import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ContentDigest } from './content-digest.js';
import { notFound, PalisadeError } from '../base/errors.js';

export interface StoredObject {
  id: string;
  /** Bytes. */
  size: number;
  /** Of the content: of a gzip file, that of what it holds. */
  sha256: string;
}

/** Large bytes that are not rows: staged uploads. Kept apart by tenant. */
export interface ObjectStore {
  /** Stores a stream. @throws PalisadeError PAYLOAD_TOO_LARGE past `maxBytes`; nothing stays behind then */
  put(tenantId: string, body: Readable, options: { maxBytes: number }): Promise<StoredObject>;
  /** The file of an object; `sha256` is null of one that was stored before digests were kept. @throws PalisadeError NOT_FOUND */
  open(tenantId: string, id: string): Promise<{ path: string; size: number; sha256: string | null; stream(): Readable }>;
  /** Removes an object; absent ones are no error. */
  remove(tenantId: string, id: string): Promise<void>;
  /** The tenant's objects, those that are still being stored included, and when each was last written to. */
  list(tenantId: string): Promise<{ id: string; written_at: Date }[]>;
  /** Removes every object of a tenant, those that are being written included. */
  removeAll(tenantId: string): Promise<void>;
}

const OBJECT_ID = /^[0-9a-f-]{36}$/;
/** Of a file beside an object: one still being written, and its digest. */
const PART = '.part';
const DIGEST = '.sha256';
const tenantFolder = (tenantId: string) => createHash('sha256').update(tenantId).digest('hex').slice(0, 32);

/** An object store in a folder, which all processes of a deployment must see. */
export function createFolderObjectStore(folder: string): ObjectStore {
  const pathOf = (tenantId: string, id: string) => {
    if (!OBJECT_ID.test(id)) throw notFound('Object');
    return join(folder, tenantFolder(tenantId), id);
  };
  const removeFiles = (path: string) => Promise.all(['', PART, DIGEST].map((suffix) => rm(path + suffix, { force: true })));
  return {
    async put(tenantId, body, { maxBytes }) {
      const id = randomUUID();
      const path = pathOf(tenantId, id);
      await mkdir(join(folder, tenantFolder(tenantId)), { recursive: true, mode: 0o700 });
      const digest = new ContentDigest(maxBytes);
      let size = 0;
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          size += chunk.length;
          if (size > maxBytes)
            return done(new PalisadeError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes`, { max_bytes: maxBytes }));
          done(null, chunk);
        },
      });
      try {
        await pipeline(body, counted, digest, createWriteStream(path + PART, { mode: 0o600 }));
        const sha256 = digest.hex();
        // an object has its digest from the moment on at which it exists
        await writeFile(path + DIGEST, sha256, { mode: 0o600 });
        await rename(path + PART, path);
        return { id, size, sha256 };
      } catch (error) {
        await removeFiles(path);
        throw error;
      }
    },
    async open(tenantId, id) {
      const path = pathOf(tenantId, id);
      const { size } = await stat(path).catch(() => {
        throw notFound('Object');
      });
      const sha256 = await readFile(path + DIGEST, 'utf8').catch(() => null);
      return { path, size, sha256, stream: () => createReadStream(path) };
    },
    async remove(tenantId, id) {
      await removeFiles(pathOf(tenantId, id));
    },
    async list(tenantId) {
      const home = join(folder, tenantFolder(tenantId));
      const written = new Map<string, number>();
      for (const name of await readdir(home).catch(() => [])) {
        const id = name.slice(0, 36);
        const facts = OBJECT_ID.test(id) ? await stat(join(home, name)).catch(() => null) : null;
        if (facts) written.set(id, Math.max(written.get(id) ?? 0, facts.mtimeMs));
      }
      return Array.from(written, ([id, time]) => ({ id, written_at: new Date(time) }));
    },
    async removeAll(tenantId) {
      await rm(join(folder, tenantFolder(tenantId)), { recursive: true, force: true });
    },
  };
}
