import type { Database } from '../kit/store/database.js';
import { ownAccount, users, type UserRow } from '../accounts/records.js';
import type { SignInMethod } from '../accounts/session-record.js';
import { homesOf, type Home } from './homes.js';
import type { PasswordVerifier } from './password.js';

/** What a client shows to sign in. Other ways of signing in add their own kind. */
export type Credentials = { kind: 'password'; email: string; password: string };

/** A strategy's answer, with the tenants of the user. `refused` is final: no other strategy is asked after it. */
export type Verdict =
  | { verdict: 'not_mine' }
  | { verdict: 'refused'; user: UserRow | null; homes: readonly Home[]; reason: 'credentials' | 'account' }
  | { verdict: 'session'; user: UserRow; homes: readonly Home[]; method: SignInMethod; second_factor: boolean };

/** One way of signing in. */
export interface SignInStrategy {
  readonly name: string;
  attempt(credentials: Credentials): Promise<Verdict>;
}

/**
 * E-mail address and password. Unknown, disabled, invited and SSO-only accounts are refused after the same work as a wrong password.
 */
export function passwordStrategy(database: Database, passwords: PasswordVerifier): SignInStrategy {
  return {
    name: 'password',
    async attempt(credentials) {
      if (credentials.kind !== 'password') return { verdict: 'not_mine' };
      const user = await database.system(users).findOne(ownAccount(credentials.email));
      const usable = user !== null && user.state === 'active';
      // the hash is made in a thread, and takes longer than the question
      const [right, homes] = await Promise.all([
        passwords.verify(usable ? user.password_hash : null, credentials.password),
        homesOf({ database }, user),
      ]);
      if (!right) return { verdict: 'refused', user, homes, reason: usable ? 'credentials' : 'account' };
      return { verdict: 'session', user: user!, homes, method: 'password', second_factor: false };
    },
  };
}

/** Asks one strategy after the other until one answers. Credentials that are nobody's are refused. */
export async function askStrategies(
  strategies: readonly SignInStrategy[],
  credentials: Credentials,
): Promise<Exclude<Verdict, { verdict: 'not_mine' }>> {
  for (const strategy of strategies) {
    const answer = await strategy.attempt(credentials);
    if (answer.verdict !== 'not_mine') return answer;
  }
  return { verdict: 'refused', user: null, homes: [], reason: 'credentials' };
}
