import { createReadStream, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { notFound } from '../kit/base/errors.js';

/** Where a build puts the pages' scripts and styles: one folder, named by what it was made of, each file compressed. */
const BUILT = new URL('../console/built/', import.meta.url);
/** Where they are served. */
const ASSETS = '/gateway/assets';
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};

/** The scripts and styles of the pages of one build. */
export interface PageAssets {
  /** Changes with what is in the files, so that they may be kept for ever. */
  readonly digest: string;
  /** The path below which they are served. */
  readonly base: string;
  /** Opens a file; null when there is none of that name. */
  open(name: string): { type: string; packed: Readable } | null;
}

/** Finds the built pages; null where the program runs from its sources. */
export function findPageAssets(folder = BUILT): PageAssets | null {
  const path = fileURLToPath(folder);
  const [digest] = namesIn(path);
  if (digest === undefined) return null;
  const names = new Set(namesIn(join(path, digest)));
  return {
    digest,
    base: `${ASSETS}/${digest}`,
    open(name) {
      const type = TYPES[extname(name)];
      return type && names.has(`${name}.gz`) ? { type, packed: createReadStream(join(path, digest, `${name}.gz`)) } : null;
    },
  };
}

/** Serves the scripts and styles of all pages, to everybody. @returns them; null where there are none */
export function registerPageAssets(app: FastifyInstance): PageAssets | null {
  const assets = findPageAssets();
  app.get<{ Params: { digest: string; file: string } }>(`${ASSETS}/:digest/:file`, ({ params }, reply) => {
    const found = params.digest === assets?.digest ? assets.open(params.file) : null;
    if (!found) throw notFound('File');
    return sendPacked(reply.header('cache-control', 'public, max-age=31536000, immutable').type(found.type), found.packed);
  });
  return assets;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Sends what is kept compressed, to clients that take no gzip as well. */
export function sendPacked(reply: FastifyReply, packed: Readable | Buffer): FastifyReply {
  void reply.header('vary', 'accept-encoding');
  if (/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/i.test(String(reply.request.headers['accept-encoding'] ?? '')))
    return reply.header('content-encoding', 'gzip').send(packed);
  const unpacked = createGunzip();
  if (Buffer.isBuffer(packed)) unpacked.end(packed);
  else packed.pipe(unpacked);
  return reply.send(unpacked);
}
