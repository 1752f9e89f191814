import { z } from 'zod';
import type { EngineContext } from '../../../kit/engine/context.js';
import { invalid, notFound, violationsOf } from '../../../kit/base/errors.js';
import { assetRowId, assets, type AssetRow } from '../records.js';
import { AssetCounterChanges } from '../counters.js';
import { foundClasses } from '../facts/found-classes.js';
import { rescoreMark, rescoreWakeup } from '../risk/rescore.js';
import {
  contextColumns,
  contextOfTags,
  CRITICALITIES,
  dataClasses,
  effectiveContext,
  ENVIRONMENTS,
  type BusinessContext,
  type SetContext,
} from './context.js';

const inputSchema = z.strictObject({
  owner: z.string().trim().max(200).nullish(),
  environment: z.enum(ENVIRONMENTS).nullish(),
  criticality: z.enum(CRITICALITIES).nullish(),
  data_classes: z.array(z.string().trim().min(1).max(50)).max(20).nullish(),
});

/** The context of an asset as the API tells it. */
export const businessContextOf = ({ owner, environment, criticality, data_classes, business_set }: AssetRow) => ({
  owner: owner ?? null,
  environment: environment ?? null,
  criticality: criticality ?? null,
  data_classes: data_classes ?? [],
  set_by: business_set?.set_by ?? null,
  set_at: business_set?.set_at ?? null,
});

/**
 * Replaces what people have set of an asset's business context; of the parts that the input leaves out the tags tell again.
 * @throws NOT_FOUND when the tenant has no such asset; VALIDATION_ERROR when the input breaks its rules
 */
export async function setBusinessContext(context: EngineContext, resourceUid: string, input: unknown) {
  const { auth, services } = context;
  const rows = context.collection(assets);
  const _id = assetRowId(auth.tenant_id, resourceUid);
  if (!(await rows.findOne({ _id }, { fields: ['_id'] }))) throw notFound('Asset');
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { owner, environment = null, criticality = null, data_classes } = parsed.data;
  const given: BusinessContext = { owner: owner || null, environment, criticality, data_classes: dataClasses(data_classes ?? []) };
  const isAny = given.owner ?? given.environment ?? given.criticality ?? given.data_classes[0];
  const set: SetContext | null =
    isAny === undefined || isAny === null ? null : { ...given, set_by: auth.email, set_at: services.clock.now() };
  const { business_tags } = await services.ingest.importSettings(services, auth.tenant_id);
  return context.transaction(async (transaction) => {
    const asset = await rows.findOne({ _id }, { transaction });
    if (!asset) throw notFound('Asset');
    const { $set, $unset } = contextColumns(effectiveContext(set, contextOfTags(asset.tags, business_tags), foundClasses(asset.facts)));
    const mark = rescoreMark(asset, { ...asset, criticality: $set.criticality });
    const update = { $set: { ...$set, ...mark, business_set: set }, $unset };
    rescoreWakeup(services.database).wakeAfter(transaction);
    const changed = await rows.findAndUpdate({ _id }, update, { returnNew: true, transaction });
    // totals that were counted before hold no longer
    const counters = new AssetCounterChanges(services.database.tenant(auth.tenant_id));
    counters.move(asset, asset);
    await counters.write(transaction);
    await context.audit(transaction, {
      action: 'asset.classify',
      actor_email: auth.email,
      target: `asset:${resourceUid}`,
      result: 'success',
      detail: { ...given },
    });
    return businessContextOf(changed!);
  });
}
