import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../kit/base/errors.js';
import type { OpenApiDocument } from './openapi.js';
import { sendPacked, type PageAssets } from './page-assets.js';
import { renderScriptPage, SCRIPT_PAGES } from './script-page.js';

const pack = promisify(gzip);

/**
 * Serves the merged OpenAPI document and the REST reference (console/reference), which shows it.
 * @param assets null where the program runs from its sources: then there is no reference
 * @param make gives the document; asked once, by the first who wants to see it: a start does not wait for it
 */
export function registerReference(app: FastifyInstance, assets: PageAssets | null, make: () => OpenApiDocument): void {
  let document: Promise<Buffer> | undefined;
  const page = assets && renderScriptPage(SCRIPT_PAGES.reference, assets.base);
  app.get('/gateway/openapi.json', async (_request, reply) => {
    const packed = await (document ??= pack(JSON.stringify(make())));
    return sendPacked(reply.header('cache-control', 'public, max-age=300').type('application/json; charset=utf-8'), packed);
  });
  app.get('/gateway/docs', (_request, reply) => {
    if (page === null) throw notFound('Page');
    return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page);
  });
}
