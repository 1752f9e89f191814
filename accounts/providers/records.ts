import { defineCollection } from '../../kit/store/collection.js';
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
export interface SsoSettingsRow {
  _id: string;
  tenant_id: string;
  saml: SamlSettings | null;
  oauth: OauthSettings | null;
  group_mappings: readonly GroupMapping[];
  /** Role of who is in no mapped group; null blocks them. */
  default_role: GroupMapping['role'] | null;
  /**
   * Whether an org_admin has set the present values of the identity provider. A provider that a tenant_admin has set signs in nobody whose
   * role is above tenant_admin: it could name anybody.
   */
  set_by_org_admin: boolean;
  /** When an administrator last signed in through the present provider; null after its values changed. Require SSO needs it. */
  verified_at: Date | null;
  /** The last test sign-in: what the provider said, or why it was refused. */
  last_test: SsoTest | null;
  updated_at: Date;
}

const settingsRows = defineCollection<SsoSettingsRow>('sso_settings', {
  saml: Object,
  oauth: Object,
  group_mappings: Array,
  default_role: String,
  set_by_org_admin: Boolean,
  verified_at: Date,
  last_test: Object,
  updated_at: Date,
});

/** Earlier releases looked for a tenant by the domains that it allows. */
export const ssoSettings: typeof settingsRows = { ...settingsRows, formerIndexes: ['oauth.allowed_domains_1'] };

/** A person as an identity provider names them: accounts are keyed by tenant, provider and name (decision 25). */
export interface SsoIdentityRow {
  /** `<tenant_id>|<sha256 of provider and subject>` */
  _id: string;
  tenant_id: string;
  /** Entity id or issuer. */
  provider: string;
  /** NameID or `sub`. */
  subject: string;
  user_id: string;
  created_at: Date;
}

export const ssoIdentities = defineCollection<SsoIdentityRow>(
  'sso_identities',
  { provider: String, subject: String, user_id: String, created_at: Date },
  [{ key: { tenant_id: 1, user_id: 1 } }],
);
