import { defineSystemCollection, type RowOf } from '../../kit/store/collection.js';
import { date, flag, nullable, number, object, oneOf, optional, text } from '../../kit/store/fields.js';
import type { SsoAssertion } from '../sso/assertion.js';
import type { Tester } from '../sso/verification.js';

/** A sign-in that has left for an identity provider; found by its id, that of the AuthnRequest, before any tenant is known. */
export const samlRequests = defineSystemCollection(
  'saml_requests',
  {
    tenant_id: text,
    /** See `bindBrowser`. */
    binding: text,
    return_to: text,
    /** Who tries the settings out; null for a sign-in. */
    tester: nullable(object<Tester>()),
    /** Whether the provider was asked to have the person prove anew who they are; not where it is absent. */
    fresh: optional(flag),
    /** `open` until an answer was checked; `answered` until the browser comes with the code. */
    state: oneOf('open', 'answered'),
    /** Responses that were refused; none where it is absent. */
    refusals: optional(number),
    /** SHA-256 of the code with which the browser fetches its session; null before an answer. */
    code_hash: nullable(text),
    /** What the answer says; null before it. */
    assertion: nullable(object<SsoAssertion>()),
    /** `updated_at` of the settings that it was checked under; null before it. */
    settings_at: nullable(date),
    created_at: date,
    expires_at: date,
  },
  [{ key: { code_hash: 1 } }, { key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);
export type SamlRequestRow = RowOf<typeof samlRequests>;

/** An assertion that was accepted: no second one of the id is. `_id` is `<tenant_id>|<sha256 of issuer and assertion id>`. */
export const samlAssertions = defineSystemCollection(
  'saml_assertions',
  {
    tenant_id: text,
    /** When the assertion is refused for its age. */
    expires_at: date,
  },
  [{ key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);
export type SamlAssertionRow = RowOf<typeof samlAssertions>;
