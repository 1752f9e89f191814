import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../kit/base/errors.js';
import { SECURITY_HEADERS } from '../http/security-headers.js';
import type { ExplorerGraph, FieldUsageReport } from '../schema/explorer.js';
import { sendPacked, type PageAssets } from './page-assets.js';
import { renderScriptPage, SCRIPT_PAGES } from './script-page.js';

export interface ExplorerOptions {
  /** The scripts and styles of the pages; null where the program runs from its sources. */
  readonly assets: PageAssets | null;
  /** What the explorer knows of the graph; asked once, by the first who wants to see it. */
  readonly make: () => ExplorerGraph;
  /** Who calls. Throws for one who may not enter: the graph describes itself to those who are signed in. */
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<{ readonly tenant_id: string }>;
  /** How often a tenant has asked for which field, where that is counted. */
  readonly usageOf?: (tenantId: string) => FieldUsageReport;
}

/** As everywhere, and what the page's editor needs beside it: workers of ours, and styles that it writes as it goes. No script that is not a file of ours. */
const POLICY = SECURITY_HEADERS['content-security-policy']
  .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
  .concat("; worker-src 'self'");

const pack = promisify(gzip);

/** Serves the federation explorer (console/explorer): its page to everybody, what it knows of the graph to who is signed in. */
export function registerExplorer(app: FastifyInstance, { assets, make, authenticate, usageOf }: ExplorerOptions): void {
  const base = '/gateway/explorer';
  let page: string | undefined;
  let graph: Promise<Buffer> | undefined;
  app.get(base, (_request, reply) => {
    if (!assets) throw notFound('Page');
    return reply
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send((page ??= renderScriptPage(SCRIPT_PAGES.explorer, assets.base)));
  });
  app.get(`${base}/graph.json`, async (request, reply) => {
    await authenticate(request, reply);
    const packed = await (graph ??= pack(JSON.stringify(make())));
    return sendPacked(reply.header('cache-control', 'no-store').type('application/json; charset=utf-8'), packed);
  });
  if (!usageOf) return;
  app.get(`${base}/usage.json`, async (request, reply) => {
    const { tenant_id } = await authenticate(request, reply);
    return reply.header('cache-control', 'no-store').send(usageOf(tenant_id));
  });
}
