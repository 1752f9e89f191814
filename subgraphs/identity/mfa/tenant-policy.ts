import { z } from 'zod';
import type { EngineContext } from '../../../kit/engine/context.js';
import { invalid, notFound, violationsOf } from '../../../kit/base/errors.js';
import { memberships, MFA_POLICIES, tenants, users, type MfaPolicy } from '../../../accounts/records.js';
import { sessions } from '../../../accounts/session-record.js';
import { ALWAYS_COVERED, hasShownEnough, needsSecondFactor } from '../../../accounts/factors/policy.js';

const inputSchema = z.strictObject({ policy: z.enum(MFA_POLICIES) });

/** The policy, and whom it covers who has no second factor of their own. */
export async function getMfaPolicy(context: EngineContext) {
  const tenant = await context.collection(tenants).findOne({});
  if (!tenant) throw notFound('Tenant');
  return describe(context, tenant.mfa_policy);
}

async function describe(context: EngineContext, policy: MfaPolicy) {
  const members = await context.collection(memberships).find({}, { fields: ['user_id', 'role'] });
  const ids = members.map(({ user_id }) => user_id);
  const bare = await context.services.database.system(users).find({ _id: { $in: ids }, mfa: 'none' }, { fields: ['_id'] });
  const without = new Set(bare.map(({ _id }) => _id));
  const lacking = members.filter(({ user_id }) => without.has(user_id));
  return {
    policy,
    always_required: ALWAYS_COVERED,
    users: members.length,
    users_without_factor: lacking.length,
    required_without_factor: lacking.filter(({ role }) => needsSecondFactor(role, policy)).length,
  };
}

/**
 * Sets the tenant's policy; it holds from everybody's next call.
 * @throws PalisadeError VALIDATION_ERROR when the caller's own session would end by it
 */
export async function setMfaPolicy(context: EngineContext, input: unknown) {
  const { auth, services } = context;
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { policy } = parsed.data;
  const session = await services.database.system(sessions).findOne({ _id: auth.session_id });
  if (!session || !hasShownEnough(session, auth.role, { tenant_id: auth.tenant_id, mfa_policy: policy }))
    throw invalid([{ path: 'policy', message: 'Set up a second factor of your own first: the policy would end your session' }]);
  await context.transaction(async (transaction) => {
    const before = await context.collection(tenants).findAndUpdate({}, { $set: { mfa_policy: policy } }, { transaction });
    if (!before) throw notFound('Tenant');
    await context.audit(transaction, {
      action: 'mfa.policy_update',
      actor_email: auth.email,
      target: `tenant:${auth.tenant_id}`,
      ip_address: auth.ip_address,
      result: 'success',
      detail: { from: before.mfa_policy, to: policy },
    });
  });
  return describe(context, policy);
}
