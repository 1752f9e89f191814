import { cpus } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { PalisadeError } from '../kit/base/errors.js';
import { normalizePassword } from './passwords/rules.js';

/** Argon2id as OWASP's Password Storage Cheat Sheet has it: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Hashes that run at a time in a process, and that may wait: each takes 19 MiB and a thread of the pool that the store also uses. */
export const RUNNING = Math.min(4, Math.max(2, cpus().length));
const WAITING = 200;

/** The argon2id hash of a password, as a PHC string with its own salt. */
export const hashPassword = (password: string): Promise<string> => hash(normalizePassword(password), PARAMETERS);

export interface PasswordVerifier {
  /**
   * Whether `password` is the one that `stored` was made of. Without `stored` (unknown, disabled or SSO-only accounts) it takes as long
   * and answers false.
   * @throws PalisadeError RATE_LIMITED when too many sign-ins wait already
   */
  verify(stored: string | null, password: string): Promise<boolean>;
}

/** Verifies passwords, a bounded number at a time. */
export async function createPasswordVerifier(): Promise<PasswordVerifier> {
  const dummy = await hashPassword('no account has this password');
  const waiting: (() => void)[] = [];
  let running = 0;

  const enter = async () => {
    if (running < RUNNING) return void running++;
    if (waiting.length >= WAITING)
      throw new PalisadeError('RATE_LIMITED', 'Too many sign-ins at once', { window: 'sign-in', limit: WAITING, retry_after: 1 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else running--;
  };

  return {
    async verify(stored, password) {
      await enter();
      try {
        const right = await verify(stored ?? dummy, normalizePassword(password)).catch(() => false);
        return right && stored !== null;
      } finally {
        leave();
      }
    },
  };
}
