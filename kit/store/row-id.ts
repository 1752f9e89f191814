import { createHash } from 'node:crypto';

/** The digest of what a row says, or of a name that may be longer than a key should be. */
export const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 32);

/** The id of a row that stands for a resource. */
export const rowIdOf = (tenantId: string, resourceUid: string): string => `${tenantId}|${digestOf(resourceUid)}`;
