import type { FastifyRequest } from 'fastify';
import { isLocal } from '../cookie.js';
import { originOf } from '../../http/origin.js';
import type { AuthParts } from '../parts.js';

/**
 * The origin of the addresses that identity providers know: PUBLIC_URL, else the address of this machine that the request came to. Any other
 * name that a request gives itself is not believed: an answer for another service could be brought here as one for us.
 */
export const ssoOrigin = (parts: Pick<AuthParts, 'publicUrl' | 'linkOrigin'>, request: FastifyRequest): string =>
  parts.publicUrl === undefined && isLocal(request.host) ? originOf(parts, request) : parts.linkOrigin;
