import type { Role } from '../../../schema/permissions.js';

type Attributes = Readonly<Record<'email' | 'first_name' | 'last_name' | 'groups', readonly string[]>>;

/** `GET /settings/sso`, as far as it is shown. */
export interface SsoSettings {
  readonly saml: {
    readonly enabled: boolean;
    readonly idp_certificates: readonly { readonly pem: string; readonly subject: string; readonly expires_at: string }[];
    readonly service_provider: string;
    readonly attributes: Attributes;
  } | null;
  readonly oauth: { readonly enabled: boolean; readonly callback: string; readonly attributes: Attributes } | null;
  readonly service_provider: {
    readonly saml: readonly {
      readonly scope: string;
      readonly entity_id: string;
      readonly acs_url: string;
      readonly metadata_url: string;
    }[];
    readonly oauth: readonly { readonly scope: string; readonly redirect_uri: string }[];
    readonly saml_login_url: string;
    readonly oauth_login_url: string;
  };
  readonly group_mappings: readonly { readonly group: string; readonly role: Role; readonly priority: number }[];
  readonly verified_at: string | null;
  readonly last_test: {
    readonly kind: 'saml' | 'oauth';
    readonly at: string;
    readonly ok: boolean;
    readonly message: string;
    readonly email: string | null;
    readonly groups: readonly string[];
    readonly role: Role | null;
  } | null;
}

type Mappings = SsoSettings['group_mappings'];

/** Groups with their roles as lines, the one that wins first. */
export const mappingLines = (mappings: Mappings): string[] =>
  [...mappings].sort((one, other) => one.priority - other.priority).map(({ group, role }) => `${group} = ${role}`);

/** The same, read: the order of the lines is what wins, and a name may hold `=` itself. */
export const mappingsIn = (lines: readonly string[]): { group: string; role: string; priority: number }[] =>
  lines.map((line, index) => {
    const at = line.lastIndexOf('=');
    return { group: line.slice(0, Math.max(0, at)).trim(), role: line.slice(at + 1).trim(), priority: index + 1 };
  });

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Certificates of a text with one or two; what is none goes as it is, so that the API says so. */
export const certificatesIn = (text: string): string[] => text.match(CERTIFICATE) ?? [text];

/** What the API takes of SAML: attributes are put back as they were, because what is left out would be as usual again. */
export const samlInput = (saml: unknown, now: SsoSettings): Record<string, unknown> => {
  const { idp_certificates, ...rest } = saml as { idp_certificates: string };
  return { ...rest, idp_certificates: certificatesIn(idp_certificates), ...(now.saml && { attributes: now.saml.attributes }) };
};

export const oauthInput = (oauth: unknown, now: SsoSettings): Record<string, unknown> => {
  if (!now.oauth) return { ...(oauth as object) };
  // the address is always the claim email, which the API does not take
  const { first_name, last_name, groups } = now.oauth.attributes;
  return { ...(oauth as object), attributes: { first_name, last_name, groups } };
};
