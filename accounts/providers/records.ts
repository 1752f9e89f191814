import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { date, flag, nullable, object, readonlyList, text, textOf } from '../../kit/store/fields.js';
import type { Role } from '../../schema/permissions.js';

/** Names of attributes or claims that carry a person's data; several names are tried in their order. */
export interface AttributeMapping {
  email: readonly string[];
  first_name: readonly string[];
  last_name: readonly string[];
  groups: readonly string[];
}

/** A group of the identity provider and the role that its members get: at most tenant_admin (decision 25). */
export interface GroupMapping {
  group: string;
  role: Exclude<Role, 'platform_admin' | 'org_admin'>;
  /** The mapping of the lowest number wins. */
  priority: number;
}

/** The tenant's SAML identity provider (specification, "Single sign-on"). */
export interface SamlSettings {
  enabled: boolean;
  idp_entity_id: string;
  idp_sso_url: string;
  /** PEM; two at most, so that the provider can change its certificate without a gap. */
  idp_certificates: readonly string[];
  /** As which service provider the deployment is registered at the provider. */
  service_provider: AddressScope;
  attributes: AttributeMapping;
}

/** The tenant's OpenID provider. */
export interface OauthSettings {
  enabled: boolean;
  issuer: string;
  client_id: string;
  /** Sealed for `sso:<tenant_id>` under the master key's purpose `oauth-client`. */
  client_secret_sealed: string;
  /** Domains of e-mail addresses that may sign in, beside what verified domains ask; every one when empty. */
  allowed_domains: readonly string[];
  /** Which of the two redirect URIs is registered at the provider. */
  callback: AddressScope;
  attributes: AttributeMapping;
}

/** Addresses of the tenant alone, or of the deployment, shared by all its tenants. */
export const ADDRESS_SCOPES = ['tenant', 'untenanted'] as const;
export type AddressScope = (typeof ADDRESS_SCOPES)[number];

export type SsoKind = 'saml' | 'oauth';

/** How a test sign-in ended; never a secret. */
export interface SsoTest {
  kind: SsoKind;
  at: Date;
  ok: boolean;
  message: string;
  email: string | null;
  groups: string[];
  /** The role that a sign-in would give; null when it would give none. */
  role: string | null;
}

/** How people of a tenant sign in through its identity provider; `_id` is the tenant id. */
const settingsRows = defineCollection('sso_settings', {
  saml: nullable(object<SamlSettings>()),
  oauth: nullable(object<OauthSettings>()),
  group_mappings: readonlyList(object<GroupMapping>()),
  /** Role of who is in no mapped group; null blocks them. */
  default_role: nullable(textOf<GroupMapping['role']>()),
  /**
   * Whether an org_admin has set the present values of the identity provider. A provider that a tenant_admin has set signs in nobody whose
   * role is above tenant_admin: it could name anybody.
   */
  set_by_org_admin: flag,
  /** When an administrator last signed in through the present provider; null after its values changed. Require SSO needs it. */
  verified_at: nullable(date),
  /** The last test sign-in: what the provider said, or why it was refused. */
  last_test: nullable(object<SsoTest>()),
  updated_at: date,
});
export type SsoSettingsRow = RowOf<typeof settingsRows>;

/** Earlier releases looked for a tenant by the domains that it allows. */
export const ssoSettings: typeof settingsRows = { ...settingsRows, formerIndexes: ['oauth.allowed_domains_1'] };

/** A person as an identity provider names them: accounts are keyed by tenant, provider and name (decision 25). `_id` is `<tenant_id>|<sha256 of provider and subject>`. */
export const ssoIdentities = defineCollection(
  'sso_identities',
  {
    /** Entity id or issuer. */
    provider: text,
    /** NameID or `sub`. */
    subject: text,
    user_id: text,
    created_at: date,
  },
  [{ key: { tenant_id: 1, user_id: 1 } }],
);
export type SsoIdentityRow = RowOf<typeof ssoIdentities>;
