import type { EngineContext } from '../../kit/engine/context.js';
import type { RunStart } from '../../kit/engine/ingest-input.js';
import { derivations } from '../../kit/engine/kept-rows.js';
import { feedEnds } from '../../kit/findings/feed/read.js';

/**
 * Concludes a run, in the context of the tenant as a whole: what engines make of the findings of all of them. Where no finding has changed since
 * this was done last, by a run or by a person, and the run told nothing of the inventory, there is nothing to conclude: a pipeline that uploads the
 * same again and again costs what its report costs.
 * @param describes whether the run told of the inventory
 */
export async function concludeRun(context: EngineContext, run: RunStart, describes: boolean): Promise<void> {
  const { services, auth } = context;
  const rows = context.collection(derivations);
  const _id = `${auth.tenant_id}|conclusion`;
  const { seq } = await feedEnds(services.database.tenant(auth.tenant_id));
  const concluded = (await rows.findOne({ _id }))?.no;
  if (!describes && concluded === seq) return;
  await services.ingest.conclude(context, run);
  // what changes meanwhile, the findings of this conclusion among it, is the next one's
  await rows.bulkUpdate([{ _id, update: { $max: { no: seq } }, upsert: true }]);
}
