import { z } from 'zod';
import { ADDRESS_SCOPES, type AttributeMapping } from '../../../accounts/providers/records.js';

/** Roles that an identity provider may give (decision 25). */
export const MAPPED_ROLES = ['tenant_admin', 'analyst', 'viewer'] as const;

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
/** The usual names (specification, "Single sign-on" 4). */
export const SAML_ATTRIBUTES: AttributeMapping = {
  email: ['email', `${CLAIMS}/emailaddress`],
  first_name: ['firstName', 'givenname', `${CLAIMS}/givenname`],
  last_name: ['lastName', 'surname', `${CLAIMS}/surname`],
  groups: ['groups', 'memberOf', 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups'],
};
export const OAUTH_ATTRIBUTES: AttributeMapping = {
  email: ['email'],
  first_name: ['given_name'],
  last_name: ['family_name'],
  groups: ['groups', 'roles'],
};

const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

const names = z.array(z.string().trim().min(1).max(256)).min(1).max(10);
const text = (most: number) => z.string().trim().min(1).max(most);
const mappedRole = z.enum(MAPPED_ROLES, 'an identity provider gives tenant_admin at most');

function isBrowserTarget(value: string): boolean {
  const url = URL.parse(value);
  if (!url || url.username || url.password || url.hash) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}

function isIssuer(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && url.search === '' && !value.includes('?') && !value.includes('#');
}

const isUnique = (values: readonly string[]): boolean => new Set(values).size === values.length;

const saml = z.strictObject({
  enabled: z.boolean(),
  idp_entity_id: text(1_024),
  idp_sso_url: text(2_000).refine(isBrowserTarget, 'must be an https address'),
  idp_certificates: z.array(z.string().max(16_384)).min(1, 'needs a certificate').max(2, 'holds two certificates at most'),
  service_provider: z.enum(ADDRESS_SCOPES).nullish(),
  attributes: z.strictObject({ email: names, first_name: names, last_name: names, groups: names }).partial().nullish(),
});

const oauth = z.strictObject({
  enabled: z.boolean(),
  issuer: text(500).refine(isIssuer, 'must be an https address without query and fragment'),
  client_id: text(512),
  client_secret: z.string().min(1).max(1_024).nullish(),
  allowed_domains: z
    .array(z.string().trim().toLowerCase().regex(DOMAIN, 'must be a domain such as example.com, in ASCII'))
    .max(100)
    .transform((domains) => [...new Set(domains)])
    .nullish(),
  callback: z.enum(ADDRESS_SCOPES).nullish(),
  attributes: z.strictObject({ first_name: names, last_name: names, groups: names }).partial().nullish(),
});

const mapping = z.strictObject({ group: text(256), role: mappedRole, priority: z.int().min(0).max(10_000) });

/** The body of PUT /settings/sso; certificates and the issuer's address are checked after it. */
export const settingsInput = z
  .strictObject({
    saml: saml.nullable(),
    oauth: oauth.nullable(),
    group_mappings: z
      .array(mapping)
      .max(500)
      .refine((mappings) => isUnique(mappings.map(({ group }) => group)), 'names a group twice'),
    default_role: mappedRole.nullable(),
    require_sso: z.boolean(),
  })
  .partial();

export type SettingsInput = z.infer<typeof settingsInput>;
export type SamlInput = z.infer<typeof saml>;
export type OauthInput = z.infer<typeof oauth>;
