import { collectorsOf, type Collectors } from '../../../collectors/index.js';
import { ConnectionRefused } from '../../../collectors/types.js';
import { conflict, invalid, notFound } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { JobFailure, type JobHandler } from '../../../kit/engine/job.js';
import { ownerNow } from '../../../kit/read/owner.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { jobView } from '../../../kit/work/followed-jobs.js';
import { openAccount } from './connection.js';
import { cloudAccounts, type CloudAccountRow } from './records.js';
import { audit, findRow, stateOf } from './service.js';

export const VALIDATE = 'onboarding.validate';

/**
 * Tries the connection of an account, in the background.
 * @throws PalisadeError NOT_FOUND; CONFLICT when it is disconnected; VALIDATION_ERROR for a provider that nobody can ask
 */
export async function validateAccount(context: EngineContext, accountId: string) {
  const { auth, services } = context;
  const row = await findRow(context, accountId);
  if (!row) throw notFound('Cloud account');
  if (row.state === 'disconnected') throw conflict('The account is disconnected: connect it again');
  if (!collectorsOf(services)[row.provider])
    throw invalid([
      { path: 'account_id', message: `${row.provider} has no collector in this release: the connection is kept, and cannot be tried` },
    ]);
  const job = await context.transaction(async (transaction) => {
    await audit(context, transaction, 'cloud_account.validate', row);
    return services.jobs.addFollowed(transaction, auth, VALIDATE, { account_id: accountId }, { readers: ['accounts:read'], total: null });
  });
  services.jobs.wake();
  return jobView(job);
}

/** Asks each service by its cheapest call, and notes what is granted and what is missing. @param collectorsFor the collectors of a process, where they are others */
export const validateJob = (collectorsFor?: (services: EngineContext['services']) => Collectors): JobHandler => ({
  async run(job) {
    const { context, payload } = job;
    await ownerNow(context, ['accounts:write']);
    const row = await findRow(context, String(payload['account_id']));
    const account = openAccount(context.services, row, collectorsFor?.(context.services));
    if (!row || !account) throw new JobFailure('The account is not connected any more.');
    const granted: string[] = [];
    const missing: string[] = [];
    let problem: string | null = null;
    try {
      for await (const tried of account.collector.tryOut(account.target, context.signal)) {
        job.alive();
        (tried.granted ? granted : missing).push(tried.permission);
      }
    } catch (error) {
      if (!(error instanceof ConnectionRefused)) throw error;
      problem = error.message;
    }
    const told = { permissions_granted: granted, permissions_missing: missing, problem, validated_at: context.services.clock.now() };
    await context.transaction(async (transaction) => {
      await note(context, row, told, transaction);
      const result = { state: stateOf(told), permissions_granted: granted, permissions_missing: missing, problem };
      await job.advance(transaction, { done: granted.length + missing.length, position: 'tried', result });
    });
  },
  async giveUp({ context }, reason) {
    context.services.logger.error({ tenant: context.auth.tenant_id, reason }, 'a connection could not be tried');
  },
});

/** Keeps what the trial has shown, unless the connection is another one by now. */
async function note(
  context: EngineContext,
  { _id, sealed_credential, state }: CloudAccountRow,
  told: Pick<CloudAccountRow, 'permissions_granted' | 'permissions_missing' | 'problem' | 'validated_at'>,
  transaction: TransactionOf,
): Promise<void> {
  const change = { ...told, ...(state !== 'paused' && { state: stateOf(told) }), updated_at: told.validated_at! };
  await context
    .collection(cloudAccounts)
    .update({ _id, sealed_credential, state }, { $set: change, $inc: { version: 1 } }, { transaction });
}
