import { z } from 'zod';
import { badRequest } from '../../../kit/base/errors.js';

const place = z.strictObject({ tenant: z.string(), seq: z.int().min(0) });

/** A place in a tenant's feed, behind the change of a number, as clients hand it back. */
export const writeFeedCursor = (tenant: string, seq: number): string => Buffer.from(JSON.stringify({ tenant, seq })).toString('base64url');

/** @throws PalisadeError BAD_REQUEST for what is no cursor of this tenant's feed */
export function readFeedCursor(text: string, tenant: string): number {
  let told: unknown;
  try {
    told = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    told = null;
  }
  const read = place.safeParse(told);
  if (!read.success || read.data.tenant !== tenant) throw badRequest('after must be the next_cursor of an answer of this feed');
  return read.data.seq;
}
