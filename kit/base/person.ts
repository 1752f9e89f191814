import type { AuthContext } from './auth-context.js';
import { forbidden, PalisadeError } from './errors.js';

/** Minutes for which a proof of who somebody is counts for what only a person may do (decision 62). */
export const PROOF_MINUTES = 15;

/** @throws PalisadeError FORBIDDEN when an API key calls */
export function assertPerson({ api_key_id }: AuthContext): void {
  if (api_key_id !== undefined) throw forbidden('API keys may not do this; a person must sign in');
}

/** @throws PalisadeError UNAUTHENTICATED that says how to prove it again, when the caller's proof of who they are is too old */
export function assertProved({ reauthenticate }: Pick<AuthContext, 'reauthenticate'>): void {
  if (reauthenticate)
    throw new PalisadeError('UNAUTHENTICATED', `This takes a proof of who you are of the last ${PROOF_MINUTES} minutes`, {
      reauthenticate,
    });
}
