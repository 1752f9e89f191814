import { createHash } from 'node:crypto';
import type { UserRow } from '../../accounts/records.js';

/**
 * Which password an account has, for what must not outlive it. The hash is salted, so what is derived of it here reveals nothing.
 */
export const passwordVersion = ({ password_hash }: Pick<UserRow, 'password_hash'>): string =>
  createHash('sha256')
    .update(password_hash ?? '')
    .digest('base64url');
