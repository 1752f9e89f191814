import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from './openapi.js';
import { renderReference, REFERENCE_STYLE } from './reference-page.js';

/** Serves the merged OpenAPI document and the REST reference that is rendered from it. Both are made once. */
export function registerReference(app: FastifyInstance, document: OpenApiDocument): void {
  const text = JSON.stringify(document);
  const page = renderReference(document);
  const cached = 'public, max-age=300';
  app.get('/gateway/openapi.json', (_request, reply) =>
    reply.header('cache-control', cached).type('application/json; charset=utf-8').send(text),
  );
  app.get('/gateway/docs', (_request, reply) => reply.header('cache-control', cached).type('text/html; charset=utf-8').send(page));
  app.get('/gateway/docs.css', (_request, reply) =>
    reply.header('cache-control', cached).type('text/css; charset=utf-8').send(REFERENCE_STYLE),
  );
}
