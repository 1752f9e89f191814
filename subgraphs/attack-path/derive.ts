import { derivedRules, type DerivedRule } from '../../catalog/derived.js';
import { SYSTEM_ACTOR } from '../../kit/base/auth-context.js';
import type { EngineContext, IngestSinks } from '../../kit/engine/context.js';
import type { IngestRun } from '../../kit/engine/finding-sink.js';
import { deriveLatest, type DerivedWrite } from '../../kit/engine/kept-rows.js';
import { DERIVED_SOURCE } from '../../kit/findings/derived.js';
import { findingId, findingRowId, findingTarget, findings } from '../../kit/findings/row.js';
import type { TransactionOf } from '../../kit/store/query.js';
import type { ThreadSession } from '../../kit/work/thread-pool.js';
import { identityKey, observationOf, rowOf, RULE_ID } from './finding.js';
import type { PathDraft, PathIdentity } from './draft.js';
import type { PathBasis, PathsReply, PathsRequest } from './paths-thread.js';
import { addNeighbours } from './read-neighbours.js';
import { hasTargets, readEstate, readVulnerabilities } from './read-estate.js';
import { attackPaths, pathSearches, type AttackPathRow } from './records.js';

type Thread = ThreadSession<null, PathsRequest, PathsReply>;
const ENGINE = 'attack-path';
/** Rows that are removed in one transaction. */
const BATCH = 500;

/**
 * Brings paths and their findings in step with the estate, at the end of a run and once a day. Paths that say the same are not written; killed in
 * the middle, the next one does what is left.
 */
export const derivePaths: IngestSinks['derive'] = (context, { scan_run_id, at }) =>
  deriveLatest(context, attackPaths.name, async (write) => {
    const { services, auth, signal } = context;
    const isKept = async () => (await context.collection(attackPaths).findOne({}, { fields: ['_id'] })) !== null;
    if (!(await hasTargets(context)) && !(await isKept())) return keepBasis(context, { entries: 0, targets: 0 }, write);
    const thread: Thread = await services.threads.paths.open(auth.tenant_id, null, signal);
    try {
      for await (const part of readEstate(context)) await thread.ask({ add: part });
      const { places } = (await thread.ask({ places: true })) as { places: string[] };
      for await (const part of readVulnerabilities(context, places)) await thread.ask({ add: part });
      await addNeighbours(context, thread, places);
      await writeAll(context, { scan_run_id, at, format: DERIVED_SOURCE }, thread, write);
      await keepBasis(context, (await thread.ask({ basis: true })) as PathBasis, write);
    } finally {
      thread.close();
    }
  });

/** Keeps what an empty list is explained by, where it has changed. */
async function keepBasis(context: EngineContext, { entries, targets }: PathBasis, write: DerivedWrite): Promise<void> {
  const rows = context.collection(pathSearches);
  const { tenant_id: _id } = context.auth;
  const known = await rows.findOne({ _id });
  if (known?.entries === entries && known.targets === targets) return;
  await write((transaction) => rows.bulkUpdate([{ _id, update: { $set: { entries, targets } }, upsert: true }], { transaction }));
}

async function writeAll(context: EngineContext, run: IngestRun, thread: Thread, write: DerivedWrite): Promise<void> {
  const own = context.collection(attackPaths);
  const sink = context.services.ingest.findings(context, ENGINE);
  const left = new Map<string, string>();
  for await (const { _id, digest } of own.scan({}, { fields: ['digest'] })) left.set(_id, digest);
  const [rule] = derivedRules('paths').values();
  for (let from: number | null = 0; from !== null;) {
    context.signal.throwIfAborted();
    const page = (await thread.ask({ paths: { from } })) as { items: PathDraft[]; next: number | null };
    from = page.next;
    if (page.items.length === 0) continue;
    const rows = page.items.map((draft) => rowOf(context.auth.tenant_id, draft, run.at));
    await context.services.ingest.rules(context, [ruleInput(rule!)]);
    await sink.ingest(
      run,
      page.items.map((draft) => sink.prepare(run, observationOf(rule!, draft))),
    );
    const changed = rows.filter(({ _id, digest }) => left.get(_id) !== digest);
    for (const { _id } of rows) left.delete(_id);
    if (changed.length > 0) await write((transaction) => writeRows(context, run, changed, transaction));
  }
  await keepLeftOut(context, run, thread, sink);
  await sink.closeUnseenOf(run, DERIVED_SOURCE, [RULE_ID]);
  const gone = [...left.keys()];
  for (let n = 0; n < gone.length; n += BATCH)
    await write((transaction) => own.remove({ _id: { $in: gone.slice(n, n + BATCH) } }, { transaction }));
}

const ruleInput = ({ rule_id, engine, title, severity, description, steps, references }: DerivedRule) => ({
  ...{ rule_id, engine, severity, title, description, source: DERIVED_SOURCE },
  remediation: { steps: steps.map((action) => ({ action })) },
  references: references.map((url) => ({ url })),
});
/** Writes paths as they are now; one that takes another way than before says so in the history of its finding. */
async function writeRows(
  context: EngineContext,
  run: IngestRun,
  rows: readonly AttackPathRow[],
  transaction: TransactionOf,
): Promise<void> {
  const own = context.collection(attackPaths);
  const before = await own.find({ _id: { $in: rows.map(({ _id }) => _id) } }, { fields: ['route'], transaction });
  const routes = new Map(before.map(({ _id, route }) => [_id, route]));
  await own.bulkUpdate(
    rows.map(({ _id, tenant_id: _tenant, ...row }) => ({ _id, update: { $set: row }, upsert: true })),
    { transaction },
  );
  for (const { _id, route, finding_id } of rows)
    if (routes.has(_id) && routes.get(_id) !== route)
      await context.audit(transaction, {
        ...{ action: 'finding.reroute', actor_email: SYSTEM_ACTOR, result: 'success' },
        target: findingTarget(ENGINE, finding_id),
        detail: { scan_run_id: run.scan_run_id },
      });
}

/** What a bound left out is still there, or nobody knows: it is not resolved. */
async function keepLeftOut(
  context: EngineContext,
  run: IngestRun,
  thread: Thread,
  sink: ReturnType<EngineContext['services']['ingest']['findings']>,
): Promise<void> {
  const { paths, jewels } = (await thread.ask({ leftOut: true })) as { paths: PathIdentity[]; jewels: string[] };
  const { tenant_id } = context.auth;
  const ids = paths.map((path) => findingId(ENGINE, identityKey(path)));
  const kept = ids.map((id) => findingRowId(tenant_id, ENGINE, id));
  const rows = context.services.database.tenant(tenant_id).engine(ENGINE).collection(findings);
  for (let at = 0; at < jewels.length; at += BATCH) {
    const toJewels = { rule_id: RULE_ID, resource_uid: { $in: jewels.slice(at, at + BATCH) }, scan_run_id: { $ne: run.scan_run_id } };
    kept.push(...(await rows.find(toJewels, { fields: ['_id'] })).map(({ _id }) => _id));
  }
  for (let at = 0; at < kept.length; at += BATCH) await sink.keep(run, kept.slice(at, at + BATCH));
}
