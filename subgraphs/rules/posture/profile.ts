import { findProfile, profileNames, profileOrDefault } from '../../../catalog/profiles.js';
import { invalid } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { REEVALUATE } from '../../../kit/engine/tenant-rules.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { jobs } from '../../../kit/work/jobs.js';
import { ruleProfiles } from '../records.js';

/** The profile that the tenant has chosen, else the deployment's, and how often what raises findings was changed. */
export async function chosenProfile(context: EngineContext): Promise<{ profile: string; revision: number }> {
  const row = await context.collection(ruleProfiles).findOne({ _id: context.auth.tenant_id });
  const name = row?.profile ?? context.services.config.RULE_PROFILE;
  return { profile: profileOrDefault(name).name, revision: row?.changes ?? 0 };
}

/** @throws PalisadeError VALIDATION_ERROR for a profile that there is not */
export function assertProfile(name: string): void {
  if (findProfile(name) !== undefined) return;
  throw invalid([{ path: 'profile', message: `there is no profile ${name}; those that exist are ${profileNames().join(', ')}` }]);
}

/** Chooses the tenant's profile, in the transaction of whatever else is changed with it. @returns whether it is another one */
export async function chooseProfile(context: EngineContext, transaction: TransactionOf, profile: string): Promise<boolean> {
  const { auth, services } = context;
  const rows = context.collection(ruleProfiles);
  const before = (await rows.findOne({ _id: auth.tenant_id }, { transaction }))?.profile ?? services.config.RULE_PROFILE;
  if (before === profile) return false;
  const chosen = { profile, updated_by: auth.email, updated_at: services.clock.now() };
  await rows.update({ _id: auth.tenant_id }, { $set: chosen, $setOnInsert: { changes: 0 } }, { transaction, upsert: true });
  await context.audit(transaction, {
    action: 'rule.settings',
    actor_email: auth.email,
    target: 'rule_profile',
    result: 'success',
    detail: { profile, previous: before },
  });
  return true;
}

/**
 * Has what is stored follow a change of the rules that raise findings, in the transaction of the change; wake the workers behind it.
 * @returns the id of the job
 */
export async function reevaluate(context: EngineContext, transaction: TransactionOf): Promise<string> {
  const { auth, services } = context;
  await context.collection(ruleProfiles).update({ _id: auth.tenant_id }, { $inc: { changes: 1 } }, { transaction, upsert: true });
  const job = await services.jobs.addFollowed(transaction, auth, REEVALUATE, {}, { readers: ['tenants:read'], total: null });
  return job._id;
}

/** The last job that had what is stored follow a change; null where none is known any more. */
export async function lastReevaluation(context: EngineContext): Promise<string | null> {
  const [job] = await context.collection(jobs).find({ kind: REEVALUATE }, { sort: { created_at: -1 }, limit: 1, fields: ['_id'] });
  return job?._id ?? null;
}
