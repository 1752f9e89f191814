import { hash } from 'node:crypto';

/** The digest (SHA-256, base64url) of what a row says, or of a name that may be longer than a key should be. @param length of it, in characters of six bits */
export const digestOf = (value: unknown, length = 32): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, length);

/** The id of a row that stands for a resource. */
export const rowIdOf = (tenantId: string, resourceUid: string): string => `${tenantId}|${digestOf(resourceUid)}`;
