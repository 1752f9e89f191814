import { notFound, conflict } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { IngestRun } from '../../../kit/engine/finding-sink.js';
import type { JobHandler } from '../../../kit/engine/job.js';
import { ENDABLE } from '../../../kit/findings/lifecycle.js';
import { findings } from '../../../kit/findings/row.js';
import { jobView } from '../../../kit/work/followed-jobs.js';
import { ownerNow } from '../../../kit/read/owner.js';
import { cloudAccountRowId, cloudAccounts } from './records.js';
import { audit, findRow } from './service.js';

export const DISCONNECT = 'onboarding.disconnect';

/**
 * Disconnects an account: from now on nothing of ours can enter it. What it has left here goes in the background.
 * @param purge whether what is known of it is ended, so that the tenant's retention removes it
 * @throws PalisadeError NOT_FOUND; CONFLICT when it is disconnected already
 */
export async function disconnectAccount(context: EngineContext, accountId: string, purge: boolean) {
  const { auth, services } = context;
  const job = await context.transaction(async (transaction) => {
    const row = await findRow(context, accountId, transaction);
    if (!row) throw notFound('Cloud account');
    if (row.state === 'disconnected') throw conflict('The account is disconnected already');
    const change = {
      state: 'disconnected' as const,
      sealed_credential: null,
      external_id: null,
      problem: null,
      updated_at: services.clock.now(),
      version: row.version + 1,
    };
    await context.collection(cloudAccounts).update({ _id: row._id }, { $set: change }, { transaction });
    await audit(context, transaction, 'cloud_account.disconnect', row, { purge });
    const followed = { readers: ['accounts:read'], total: services.findingEngines.length };
    return services.jobs.addFollowed(transaction, auth, DISCONNECT, { account_id: accountId, version: change.version, purge }, followed);
  });
  services.jobs.wake();
  return jobView(job);
}

/**
 * Ends what is known of an account, engine by engine: open findings are resolved, as by a run that covers the account and sees none of them, and results of
 * rules are forgotten. Then the connection is removed, unless it was made anew meanwhile. Without `purge`, only that.
 */
export const disconnectJob: JobHandler = {
  async run(job) {
    const { context, payload } = job;
    const accountId = String(payload['account_id']);
    const { services, auth } = context;
    let result = (job.result ?? { resolved: 0 }) as { resolved: number };
    if (payload['purge'] === true) {
      const at = services.clock.now();
      const run: IngestRun = { scan_run_id: `disconnect-${String(payload['version'])}-${accountId}`, at, format: 'disconnect' };
      for (let done = Number(job.position ?? 0); done < services.findingEngines.length; done++) {
        job.alive();
        await ownerNow(context, ['accounts:write']);
        const { engine } = services.findingEngines[done]!;
        result = { resolved: result.resolved + (await endFindings(context, engine, accountId, run)) };
        await context.transaction((transaction) => job.advance(transaction, { done: done + 1, position: String(done + 1), result }));
      }
      await services.ingest.forgetResults(context, run, { account_id: accountId, artifact: null });
    }
    const stored = { _id: cloudAccountRowId(auth.tenant_id, accountId), state: 'disconnected', version: payload['version'] };
    await context.collection(cloudAccounts).remove(stored);
  },
  async giveUp({ context }, reason) {
    context.services.logger.error({ tenant: context.auth.tenant_id, reason }, 'an account could not be purged');
  },
};

/** Resolves the findings of an account in one engine, of whatever sources. @returns how many */
async function endFindings(context: EngineContext, engine: string, account_id: string, run: IngestRun): Promise<number> {
  const { services, auth } = context;
  const rows = services.database.tenant(auth.tenant_id).engine(engine).collection(findings);
  const sources = await rows.aggregate<{ _id: { source: string; artifact: string | null } }>([
    { $match: { account_id, ...ENDABLE } },
    { $group: { _id: { source: '$source', artifact: '$artifact' } } },
  ]);
  if (sources.length === 0) return 0;
  const store = services.ingest.findings(context, engine);
  for (const { _id } of sources) await store.closeUnseen(run, { ..._id, account_id });
  return rows.count({ 'resolved_by.scan_run_id': run.scan_run_id });
}
