import type { OauthSettings } from '../../accounts/providers/records.js';
import { readAddress } from '../sso/address.js';
import type { SsoAssertion } from '../sso/assertion.js';
import { domainOf } from '../../accounts/domains/name.js';
import { SignInRefused } from '../sso/refusal.js';

/** Claims of a verified ID token, or of the userinfo endpoint for the same subject. */
export type Claims = Readonly<Record<string, unknown>>;

const MAX_GROUPS = 1_000;

/** Methods of RFC 8176 by what they show; two kinds together are two factors. */
const FACTORS: Readonly<Record<string, 'knowledge' | 'possession' | 'inherence'>> = {
  pwd: 'knowledge',
  pin: 'knowledge',
  kba: 'knowledge',
  otp: 'possession',
  hwk: 'possession',
  swk: 'possession',
  sc: 'possession',
  sms: 'possession',
  tel: 'possession',
  fpt: 'inherence',
  face: 'inherence',
  iris: 'inherence',
  retina: 'inherence',
  vbm: 'inherence',
};

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).filter((item): item is string => typeof item === 'string' && item !== '');

/** The first of the named claims that is there. */
const named = (claims: Claims, names: readonly string[]): string[] =>
  names.map((name) => texts(claims[name])).find((found) => found.length > 0) ?? [];

/** Whether `amr` says that two factors were shown (RFC 8176). */
export function showsSecondFactor(amr: unknown): boolean {
  const methods = texts(amr);
  const kinds = new Set(methods.flatMap((method) => (Object.hasOwn(FACTORS, method) ? [FACTORS[method]] : [])));
  return methods.includes('mfa') || kinds.size > 1;
}

/**
 * Whether the provider answers for the address. Microsoft Entra ID has no `email_verified`; there the optional claim `xms_edov` says that
 * the owner of the address's domain was verified.
 */
function isVerified({ email_verified, xms_edov }: Claims, issuer: string): boolean {
  if (email_verified === true) return true;
  const isEntra = URL.parse(issuer)?.origin === 'https://login.microsoftonline.com';
  return isEntra && email_verified === undefined && [true, 1, '1', 'true'].some((value) => value === xms_edov);
}

/** When the person last proved to the provider who they are (`auth_time`); a provider's clock that is ahead counts as now. */
const authenticatedAt = (time: unknown, now: Date): Date | null =>
  typeof time === 'number' ? new Date(Math.min(time * 1_000, now.getTime())) : null;

/** Whether the ID token alone tells too little, so that the userinfo endpoint is worth a call. */
export const needsUserInfo = (claims: Claims, { attributes }: OauthSettings): boolean =>
  claims['email'] === undefined || named(claims, attributes.groups).length === 0;

/**
 * What verified claims say of a person.
 * @param idToken its signature, issuer, audience, nonce and times are checked
 * @param userInfo of the same subject; null where it was not asked for
 * @throws SignInRefused without an address that the provider has verified, or with one of a domain that is not allowed
 */
export function assertionOf(tenantId: string, settings: OauthSettings, idToken: Claims, userInfo: Claims | null, now: Date): SsoAssertion {
  const { attributes, allowed_domains } = settings;
  // An address and the word that it is verified count only together.
  const source = idToken['email'] === undefined && userInfo ? userInfo : idToken;
  const address = source['email'];
  const email = typeof address === 'string' ? readAddress(address) : null;
  const issuer = String(idToken['iss']);
  if (email === null) throw new SignInRefused('FORBIDDEN', 'The identity provider names no e-mail address', 'email_missing');
  if (!isVerified(source, issuer))
    throw new SignInRefused('FORBIDDEN', 'The identity provider has not verified the e-mail address', 'email_not_verified');
  if (allowed_domains.length > 0 && !allowed_domains.includes(domainOf(email)))
    throw new SignInRefused('FORBIDDEN', 'E-mail addresses of this domain may not sign in here', 'domain');
  const all: Claims = { ...userInfo, ...idToken };
  const [first, last, full] = [attributes.first_name, attributes.last_name, ['name']].map((names) => named(all, names)[0] ?? '');
  return {
    tenant_id: tenantId,
    provider: issuer,
    subject: String(idToken['sub']),
    email,
    name: ([first, last].filter(Boolean).join(' ') || full!).slice(0, 200),
    groups: named(all, attributes.groups).slice(0, MAX_GROUPS),
    second_factor: showsSecondFactor(idToken['amr']),
    authenticated_at: authenticatedAt(idToken['auth_time'], now),
  };
}
