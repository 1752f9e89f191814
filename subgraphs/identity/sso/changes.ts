import { isDeepStrictEqual } from 'node:util';
import type { SsoSettingsRow } from '../../../accounts/providers/records.js';

type Values = Pick<SsoSettingsRow, 'saml' | 'oauth' | 'group_mappings' | 'default_role'>;

/** The members that differ, as `saml.idp_sso_url`; their values are not told. */
export function changedMembers(before: Values, after: Values): string[] {
  const changed: string[] = [];
  for (const kind of ['saml', 'oauth'] as const) {
    const [old, now] = [before[kind], after[kind]] as const;
    if (old === null || now === null) {
      if (old !== now) changed.push(kind);
      continue;
    }
    for (const [key, value] of Object.entries(now)) {
      const previous = (old as unknown as Record<string, unknown>)[key];
      if (!isDeepStrictEqual(value, previous)) changed.push(`${kind}.${key.replace(/_sealed$/, '')}`);
    }
  }
  for (const key of ['group_mappings', 'default_role'] as const) if (!isDeepStrictEqual(before[key], after[key])) changed.push(key);
  return changed;
}

/** Whether `after` trusts a key or names a person's address in a way that `before` did not: what an org_admin must have set. */
export function trustsAnew(before: Values, after: Values): boolean {
  return isOtherProvider(before, after) || (after.saml?.idp_certificates ?? []).some((pem) => !before.saml?.idp_certificates.includes(pem));
}

/**
 * Whether people would come in another way than the one that an administrator has tried. A second certificate beside the one in use, or
 * the old one's removal afterwards, is no other way.
 */
export function mustVerifyAgain(before: Values, after: Values): boolean {
  const kept = after.saml?.idp_certificates.some((pem) => before.saml?.idp_certificates.includes(pem)) ?? true;
  return (
    isOtherProvider(before, after) ||
    !kept ||
    before.saml?.enabled !== after.saml?.enabled ||
    before.saml?.service_provider !== after.saml?.service_provider ||
    before.oauth?.enabled !== after.oauth?.enabled ||
    before.oauth?.callback !== after.oauth?.callback
  );
}

function isOtherProvider({ saml, oauth }: Values, after: Values): boolean {
  return (
    saml?.idp_entity_id !== after.saml?.idp_entity_id ||
    saml?.idp_sso_url !== after.saml?.idp_sso_url ||
    !isDeepStrictEqual(saml?.attributes.email, after.saml?.attributes.email) ||
    oauth?.issuer !== after.oauth?.issuer ||
    oauth?.client_id !== after.oauth?.client_id
  );
}
