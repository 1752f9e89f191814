import type { EngineContext } from '../../../kit/engine/context.js';
import { invalid, type Violation, violationsOf } from '../../../kit/base/errors.js';
import { publicOrigin } from '../../../kit/base/public-origin.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { findHolder, isVerified } from '../../../accounts/domains/holders.js';
import { secondSteps } from '../../../accounts/factors/records.js';
import { tenants } from '../../../accounts/records.js';
import { sessions } from '../../../accounts/session-record.js';
import { describeCertificate } from './certificates.js';
import { changedMembers, mustVerifyAgain, trustsAnew } from './changes.js';
import { settingsInput, type SettingsInput } from './input.js';
import { oauthSettings, samlSettings } from './providers.js';
import { serviceProviderAddresses } from '../../../accounts/providers/service-provider.js';
import { ssoSettings, type SsoSettingsRow } from '../../../accounts/providers/records.js';

/** Ways of signing in that Require SSO ends. */
const OWN_METHODS = ['password', 'invite'];

const NONE: Omit<SsoSettingsRow, '_id' | 'tenant_id' | 'updated_at'> = {
  saml: null,
  oauth: null,
  group_mappings: [],
  default_role: null,
  set_by_org_admin: false,
  verified_at: null,
  last_test: null,
};

async function readSettings(context: EngineContext, transaction?: TransactionOf) {
  const { tenant_id } = context.auth;
  const [row, tenant] = [
    await context.collection(ssoSettings).findOne({}, { transaction }),
    await context.collection(tenants).findOne({}, { transaction }),
  ];
  return {
    row: row ?? { ...NONE, _id: tenant_id, tenant_id, updated_at: context.services.clock.now() },
    requireSso: tenant?.require_sso ?? false,
  };
}

function present({ auth, services: { config } }: EngineContext, row: SsoSettingsRow, requireSso: boolean) {
  const { saml, oauth, group_mappings, default_role, set_by_org_admin, verified_at, last_test } = row;
  const { client_secret_sealed: _, ...shown } = oauth ?? { client_secret_sealed: '' };
  return {
    saml: saml && { ...saml, idp_certificates: saml.idp_certificates.map(describeCertificate) },
    oauth: oauth && shown,
    service_provider: serviceProviderAddresses(publicOrigin(config), auth.tenant_id),
    group_mappings,
    default_role,
    require_sso: requireSso,
    set_by_org_admin,
    verified_at,
    last_test,
  };
}

export async function getSsoSettings(context: EngineContext) {
  const { row, requireSso } = await readSettings(context);
  return present(context, row, requireSso);
}

function parse(input: unknown): SettingsInput {
  const parsed = settingsInput.safeParse(input);
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  if (Object.values(parsed.data).every((value) => value === undefined))
    throw invalid([{ path: 'input', message: 'Name at least one change' }]);
  return parsed.data;
}

/** The settings after `input`. @throws PalisadeError VALIDATION_ERROR for certificates, issuers or secrets that cannot be used */
function merge(context: EngineContext, row: SsoSettingsRow, input: SettingsInput): SsoSettingsRow {
  const now = context.services.clock.now();
  const violations: Violation[] = [];
  const saml = input.saml ? samlSettings(input.saml, now, row.saml, violations) : input.saml;
  const oauth = input.oauth ? oauthSettings(context, input.oauth, row.oauth, violations) : input.oauth;
  if (violations.length > 0) throw invalid(violations);
  const next: SsoSettingsRow = {
    ...row,
    saml: saml === undefined ? row.saml : saml,
    oauth: oauth === undefined ? row.oauth : oauth,
    group_mappings: input.group_mappings ?? row.group_mappings,
    default_role: input.default_role === undefined ? row.default_role : input.default_role,
    updated_at: now,
  };
  if (mustVerifyAgain(row, next)) Object.assign(next, { verified_at: null, last_test: null });
  // An org_admin vouches for what they send: values that somebody else has set before are not theirs by a change beside them.
  const vouched = (next.saml === null || Boolean(input.saml)) && (next.oauth === null || Boolean(input.oauth));
  if (context.auth.role === 'org_admin') next.set_by_org_admin = row.set_by_org_admin || vouched;
  else if (trustsAnew(row, next)) next.set_by_org_admin = false;
  return next;
}

/**
 * Domains that are named anew must be the organization's; those that were set before domains were verified may stay.
 * @throws PalisadeError VALIDATION_ERROR that names those that are not
 */
async function assertVerifiedDomains(
  { auth, services }: EngineContext,
  row: SsoSettingsRow,
  next: SsoSettingsRow,
  transaction: TransactionOf,
): Promise<void> {
  const violations: Violation[] = [];
  for (const [index, domain] of (next.oauth?.allowed_domains ?? []).entries()) {
    if (row.oauth?.allowed_domains.includes(domain)) continue;
    const holder = await findHolder(services, domain, transaction);
    if (holder?.organization_id === auth.organization_id && isVerified(holder, services.clock.now())) continue;
    violations.push({
      path: `oauth.allowed_domains.${index}`,
      message: `${domain} is no verified domain of the organization: verify it at /settings/domains first`,
    });
  }
  if (violations.length > 0) throw invalid(violations);
}

/** Whether what the provider has said before is worth less from now on. */
const trustsLess = (row: SsoSettingsRow, next: SsoSettingsRow): boolean =>
  mustVerifyAgain(row, next) || (row.set_by_org_admin && !next.set_by_org_admin);

/** @throws PalisadeError VALIDATION_ERROR when Require SSO would leave a way in that nobody has tried, or none */
function assertMayRequire(next: SsoSettingsRow, named: boolean): void {
  const path = named ? 'require_sso' : 'input';
  if (!next.saml?.enabled && !next.oauth?.enabled)
    throw invalid([{ path, message: 'Require SSO needs an enabled provider; turn it off first' }]);
  if (next.verified_at === null) {
    const message = 'Require SSO needs an administrator to have signed in through the present values; turn it off to change them';
    throw invalid([{ path, message }]);
  }
}

/**
 * Sets what `input` names and leaves the rest. Turning Require SSO on ends the sessions of the tenant that began without its provider,
 * except the caller's. Sessions that a provider has vouched for, and sign-ins under way, end when its values change, or nobody of the organization stands behind them any more.
 * @throws PalisadeError VALIDATION_ERROR when the input breaks its rules
 */
export function setSsoSettings(context: EngineContext, input: unknown) {
  const { auth, services } = context;
  const given = parse(input);
  return context.transaction(async (transaction) => {
    const { row, requireSso } = await readSettings(context, transaction);
    const next = merge(context, row, given);
    await assertVerifiedDomains(context, row, next, transaction);
    const required = given.require_sso ?? requireSso;
    if (required) assertMayRequire(next, given.require_sso !== undefined);
    const changed = [...changedMembers(row, next), ...(required === requireSso ? [] : ['require_sso'])];
    if (changed.length === 0 && next.set_by_org_admin === row.set_by_org_admin) return present(context, row, requireSso);

    const { _id, tenant_id, ...values } = next;
    await context.collection(ssoSettings).update({ _id }, { $set: values }, { transaction, upsert: true });
    let sessions_ended = 0;
    if (trustsLess(row, next)) {
      const vouched = { sso_tenant_id: tenant_id, _id: { $ne: auth.session_id } };
      sessions_ended += await services.database.system(sessions).remove(vouched, { transaction });
      await services.database.system(secondSteps).remove({ sso_tenant_id: tenant_id }, { transaction });
    }
    if (required !== requireSso) {
      await context.collection(tenants).update({ _id: tenant_id }, { $set: { require_sso: required } }, { transaction });
      if (required) {
        const others = { tenant_id, method: { $in: OWN_METHODS }, _id: { $ne: auth.session_id } };
        sessions_ended += await services.database.system(sessions).remove(others, { transaction });
      }
    }
    await context.audit(transaction, {
      action: 'sso.update',
      actor_email: auth.email,
      target: `tenant:${tenant_id}`,
      ip_address: auth.ip_address,
      result: 'success',
      detail: { changed, require_sso: required, set_by_org_admin: next.set_by_org_admin, sessions_ended },
    });
    return present(context, next, required);
  });
}
