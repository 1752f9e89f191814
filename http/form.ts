import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest, forbidden, PalisadeError } from '../kit/base/errors.js';
import { originOf } from './origin.js';

/**
 * Makes the routes of `app` take HTML forms, and nothing else. A member that stands twice is refused.
 * @param limit bytes of a body
 */
export function parseForms(app: FastifyInstance, limit: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: limit },
    async (_request: unknown, body: string | Buffer) => {
      const fields = new URLSearchParams(String(body));
      if (fields.size !== new Set(fields.keys()).size) throw badRequest('A form must not name a field twice');
      return Object.fromEntries(fields);
    },
  );
  app.addContentTypeParser('*', async () => {
    throw new PalisadeError('UNSUPPORTED_MEDIA_TYPE', 'Send a form');
  });
}

/**
 * Refuses a form that does not come from one of our own pages: a browser says where it comes from.
 * @throws PalisadeError FORBIDDEN
 */
export function assertOwnForm(request: FastifyRequest, publicUrl: string | undefined): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin') throw forbidden('The form comes from another site');
  if (site === undefined && origin?.toLowerCase() !== originOf({ publicUrl }, request).toLowerCase())
    throw forbidden('The form comes from another origin');
}
