import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../kit/base/errors.js';
import { SECURITY_HEADERS } from '../http/security-headers.js';
import type { ExplorerGraph } from '../schema/explorer.js';
import { renderExplorer } from './explorer-page.js';
import { findPageAssets, sendPacked } from './page-assets.js';

export interface ExplorerOptions {
  /** What the explorer knows of the graph; asked once, by the first who wants to see it. */
  readonly make: () => ExplorerGraph;
  /** Who calls. Throws for one who may not enter: the graph describes itself to those who are signed in. */
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** As everywhere, and what the page's editor needs beside it: workers of ours, and styles that it writes as it goes. No script that is not a file of ours. */
const POLICY = SECURITY_HEADERS['content-security-policy']
  .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
  .concat("; worker-src 'self'");

const pack = promisify(gzip);

/** Serves the federation explorer (console/explorer): its page and files to everybody, what it knows of the graph to who is signed in. */
export function registerExplorer(app: FastifyInstance, { make, authenticate }: ExplorerOptions): void {
  const assets = findPageAssets();
  const base = '/gateway/explorer';
  let page: string | undefined;
  let graph: Promise<Buffer> | undefined;
  app.get(base, (_request, reply) => {
    if (!assets) throw notFound('Page');
    return reply
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send((page ??= renderExplorer(`${base}/assets/${assets.digest}`)));
  });
  app.get<{ Params: { digest: string; file: string } }>(`${base}/assets/:digest/:file`, ({ params }, reply) => {
    const found = params.digest === assets?.digest ? assets.open(params.file) : null;
    if (!found) throw notFound('File');
    return sendPacked(reply.header('cache-control', 'public, max-age=31536000, immutable').type(found.type), found.packed);
  });
  app.get(`${base}/graph.json`, async (request, reply) => {
    await authenticate(request, reply);
    const packed = await (graph ??= pack(JSON.stringify(make())));
    return sendPacked(reply.header('cache-control', 'no-store').type('application/json; charset=utf-8'), packed);
  });
}
