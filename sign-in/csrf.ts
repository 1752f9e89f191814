import type { FastifyRequest } from 'fastify';
import { forbidden, PalisadeError } from '../kit/base/errors.js';
import { originOf } from '../http/origin.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/**
 * Refuses what another site made the browser send (decision 24): on unsafe methods, Origin must be our own where present, and
 * Sec-Fetch-Site `same-origin` or `none`. Another origin of the same site is another site.
 * @param publicUrl the address that browsers use, when it differs from the Host header
 * @throws PalisadeError FORBIDDEN
 */
export function assertSameOrigin(request: FastifyRequest, publicUrl?: string): void {
  if (SAFE.has(request.method)) return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw forbidden('The request comes from another site');
  if (origin === undefined) return;
  if (origin.toLowerCase() !== originOf({ publicUrl }, request).toLowerCase()) throw forbidden('The request comes from another origin');
}

/**
 * Refuses a body that is not JSON, for every endpoint but imports: a form of another site can send no JSON.
 * @throws PalisadeError UNSUPPORTED_MEDIA_TYPE
 */
export function assertJsonBody(request: FastifyRequest): void {
  if (SAFE.has(request.method)) return;
  const type = request.headers['content-type'];
  const bodied = Number(request.headers['content-length'] ?? 0) > 0 || request.headers['transfer-encoding'] !== undefined;
  if (type === undefined ? bodied : !JSON_TYPE.test(type))
    throw new PalisadeError('UNSUPPORTED_MEDIA_TYPE', 'Send a JSON body with Content-Type: application/json');
}
