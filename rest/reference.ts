import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from './openapi.js';
import { renderReference, REFERENCE_STYLE } from './reference-page.js';

/**
 * Serves the merged OpenAPI document and the REST reference that is rendered from it.
 * @param make gives the document; asked once, by the first who wants to see either: a start does not wait for it
 */
export function registerReference(app: FastifyInstance, make: () => OpenApiDocument): void {
  let document: OpenApiDocument | undefined;
  let text: string | undefined;
  let page: string | undefined;
  const made = () => (document ??= make());
  const cached = 'public, max-age=300';
  app.get('/gateway/openapi.json', (_request, reply) =>
    reply
      .header('cache-control', cached)
      .type('application/json; charset=utf-8')
      .send((text ??= JSON.stringify(made()))),
  );
  app.get('/gateway/docs', (_request, reply) =>
    reply
      .header('cache-control', cached)
      .type('text/html; charset=utf-8')
      .send((page ??= renderReference(made()))),
  );
  app.get('/gateway/docs.css', (_request, reply) =>
    reply.header('cache-control', cached).type('text/css; charset=utf-8').send(REFERENCE_STYLE),
  );
}
