import { createHash, randomBytes } from 'node:crypto';
import { defineSystemCollection, type RowOf } from '../../kit/store/collection.js';
import { date, flag, nullable, object, optional, text } from '../../kit/store/fields.js';
import { seal, unseal } from '../../kit/keys/seal.js';
import type { AuthParts } from '../parts.js';
import { SIGN_IN_TIME } from '../sso/binding.js';
import type { Tester } from '../sso/verification.js';

/** A sign-in that has left for an OpenID provider. `_id` is the hash of its `state`. */
export const oauthStates = defineSystemCollection(
  'oauth_states',
  {
    tenant_id: text,
    /** The provider that was asked: an answer counts for no other one. */
    issuer: text,
    client_id: text,
    redirect_uri: text,
    return_to: text,
    /** The browser that began it (`bindBrowser`). */
    binding: text,
    /** Nonce and PKCE verifier, sealed for `_id`. */
    sealed: text,
    /** Who asked for a test sign-in; null for a real one. */
    tester: nullable(object<Tester>()),
    /** Whether the provider was asked to have the person prove anew who they are; not where it is absent. */
    fresh: optional(flag),
    expires_at: date,
  },
  [{ key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);
export type OauthStateRow = RowOf<typeof oauthStates>;

/** What must come back unseen by anybody else. */
export interface StateSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

const idOf = (state: string): string => createHash('sha256').update(state).digest('base64url');
const keyOf = ({ masterKey }: Pick<AuthParts, 'masterKey'>) => masterKey.derive('oauth-state');
const random = () => randomBytes(32).toString('base64url');

/** Notes a sign-in that is about to leave, for ten minutes. */
export async function beginState(parts: AuthParts, input: Omit<OauthStateRow, '_id' | 'sealed' | 'expires_at'>): Promise<StateSecrets> {
  const secrets = { state: random(), nonce: random(), verifier: random() };
  const _id = idOf(secrets.state);
  const sealed = seal(keyOf(parts), _id, Buffer.from(JSON.stringify(secrets)));
  const expires_at = new Date(parts.clock.now().getTime() + SIGN_IN_TIME * 1000);
  await parts.database.system(oauthStates).insert({ ...input, _id, sealed, expires_at });
  return secrets;
}

/**
 * Takes the sign-in that a `state` belongs to out of the store: of several takers, in whatever process, one gets it.
 * @returns null for a state that is unknown, over or taken
 */
export async function takeState(parts: AuthParts, state: string): Promise<(OauthStateRow & StateSecrets) | null> {
  const rows = parts.database.system(oauthStates);
  const row = await rows.findOne({ _id: idOf(state) });
  if (!row || (await rows.remove({ _id: row._id })) !== 1 || row.expires_at <= parts.clock.now()) return null;
  return { ...row, ...(JSON.parse(unseal(keyOf(parts), row._id, row.sealed).toString()) as StateSecrets) };
}
