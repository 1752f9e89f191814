import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { notFound, PalisadeError } from '../base/errors.js';

export interface StoredObject {
  id: string;
  /** Bytes. */
  size: number;
  sha256: string;
}

/** Large bytes that are not rows: staged uploads. Kept apart by tenant. */
export interface ObjectStore {
  /** Stores a stream. @throws PalisadeError PAYLOAD_TOO_LARGE past `maxBytes`; nothing stays behind then */
  put(tenantId: string, body: Readable, options: { maxBytes: number }): Promise<StoredObject>;
  /** The file of an object. @throws PalisadeError NOT_FOUND */
  open(tenantId: string, id: string): Promise<{ path: string; size: number; stream(): Readable }>;
  /** Removes an object; absent ones are no error. */
  remove(tenantId: string, id: string): Promise<void>;
}

const OBJECT_ID = /^[0-9a-f-]{36}$/;
const tenantFolder = (tenantId: string) => createHash('sha256').update(tenantId).digest('hex').slice(0, 32);

/** An object store in a folder, which all processes of a deployment must see. */
export function createFolderObjectStore(folder: string): ObjectStore {
  const pathOf = (tenantId: string, id: string) => {
    if (!OBJECT_ID.test(id)) throw notFound('Object');
    return join(folder, tenantFolder(tenantId), id);
  };
  return {
    async put(tenantId, body, { maxBytes }) {
      const id = randomUUID();
      const path = pathOf(tenantId, id);
      await mkdir(join(folder, tenantFolder(tenantId)), { recursive: true, mode: 0o700 });
      const hash = createHash('sha256');
      let size = 0;
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          size += chunk.length;
          if (size > maxBytes)
            return done(new PalisadeError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes`, { max_bytes: maxBytes }));
          hash.update(chunk);
          done(null, chunk);
        },
      });
      try {
        await pipeline(body, counted, createWriteStream(`${path}.part`, { mode: 0o600 }));
        await rename(`${path}.part`, path);
      } catch (error) {
        await rm(`${path}.part`, { force: true });
        throw error;
      }
      return { id, size, sha256: hash.digest('hex') };
    },
    async open(tenantId, id) {
      const path = pathOf(tenantId, id);
      const { size } = await stat(path).catch(() => {
        throw notFound('Object');
      });
      return { path, size, stream: () => createReadStream(path) };
    },
    async remove(tenantId, id) {
      await rm(pathOf(tenantId, id), { force: true });
    },
  };
}
