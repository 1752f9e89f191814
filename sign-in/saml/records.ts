import { defineSystemCollection } from '../../kit/store/collection.js';
import type { SsoAssertion } from '../sso/assertion.js';
import type { Tester } from '../sso/verification.js';

/** A sign-in that has left for an identity provider; found by its id before any tenant is known. */
export interface SamlRequestRow {
  /** ID of the AuthnRequest. */
  _id: string;
  tenant_id: string;
  /** See `bindBrowser`. */
  binding: string;
  return_to: string;
  /** Who tries the settings out; null for a sign-in. */
  tester: Tester | null;
  /** Whether the provider was asked to have the person prove anew who they are; not where it is absent. */
  fresh?: boolean;
  /** `open` until an answer was checked; `answered` until the browser comes with the code. */
  state: 'open' | 'answered';
  /** Responses that were refused; none where it is absent. */
  refusals?: number;
  /** SHA-256 of the code with which the browser fetches its session; null before an answer. */
  code_hash: string | null;
  /** What the answer says; null before it. */
  assertion: SsoAssertion | null;
  /** `updated_at` of the settings that it was checked under; null before it. */
  settings_at: Date | null;
  created_at: Date;
  expires_at: Date;
}

export const samlRequests = defineSystemCollection<SamlRequestRow>(
  'saml_requests',
  {
    tenant_id: { type: String, required: true },
    binding: String,
    return_to: String,
    tester: Object,
    state: String,
    fresh: { type: Boolean, default: false },
    refusals: { type: Number, default: 0 },
    code_hash: { type: String, default: null },
    assertion: Object,
    settings_at: { type: Date, default: null },
    created_at: Date,
    expires_at: Date,
  },
  [{ key: { code_hash: 1 } }, { key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);

/** An assertion that was accepted: no second one of the id is. */
export interface SamlAssertionRow {
  /** `<tenant_id>|<sha256 of issuer and assertion id>` */
  _id: string;
  tenant_id: string;
  /** When the assertion is refused for its age. */
  expires_at: Date;
}

export const samlAssertions = defineSystemCollection<SamlAssertionRow>(
  'saml_assertions',
  { tenant_id: { type: String, required: true }, expires_at: Date },
  [{ key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);
