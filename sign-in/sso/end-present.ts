import type { FastifyRequest } from 'fastify';
import type { UserRow } from '../../accounts/records.js';
import { findSession } from '../authenticate.js';
import type { AuthParts } from '../parts.js';

/** Ends the session that the browser still shows, where a new one of the same person has come into its place. */
export async function endPresent(parts: AuthParts, request: FastifyRequest, user: Pick<UserRow, '_id'>): Promise<void> {
  const present = await findSession(parts, request);
  if (present?.user._id === user._id) await parts.sessions.end(present.session._id);
}
