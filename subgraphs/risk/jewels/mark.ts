import { z } from 'zod';
import { invalid, notFound, violationsOf } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { JEWEL_TIERS } from '../../../kit/read/crown-jewels.js';
import { readClassifiedByUid } from '../../../kit/read/inventory.js';
import { rowIdOf } from '../../../kit/store/row-id.js';
import { reckonSoon } from '../reckon-soon.js';
import { jewelKinds } from './proposal-rules.js';
import { crownJewels, standingOf, type CrownJewelRow, type Decision } from './records.js';

/** More than all that is earned on earth in a year says nothing of one resource; and so it stays far from where numbers get inexact. */
const MOST = 1e15;

const money = z.number().min(0, 'must not be negative').max(MOST, `must be at most ${MOST}`).nullish();
const figures = {
  value: money,
  value_per_hour: money,
  records: z.number().int('must be a whole number').min(0, 'must not be negative').max(1e12, 'must be at most 1e12').nullish(),
  record_class: z.string().trim().min(1, 'must not be empty').max(50, 'must have at most 50 characters').toLowerCase().nullish(),
  fines: money,
};
const reason = z.string('is needed').trim().min(1, 'must not be empty').max(2_000, 'must have at most 2000 characters');
const inputSchema = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('accepted'), tier: z.enum(JEWEL_TIERS).nullish(), reason, ...figures }),
  z.strictObject({ decision: z.literal('refused'), reason }),
  z.strictObject({ decision: z.literal('undecided') }),
]);

/**
 * Records what people say of a resource: that it is a crown jewel, with what its loss costs, that it is none, or nothing any more, so that facts
 * alone speak again.
 * @returns the jewel as it stands then; `state` is null where neither people nor facts say anything any more
 * @throws NOT_FOUND when the inventory has no such resource and nobody has said anything of it; VALIDATION_ERROR
 */
export async function markJewel(context: EngineContext, resourceUid: string, input: object) {
  const { auth, services } = context;
  const rows = context.collection(crownJewels);
  const _id = rowIdOf(auth.tenant_id, resourceUid);
  const asset = (await readClassifiedByUid(context, [resourceUid])).get(resourceUid);
  if (!asset && !(await rows.findOne({ _id }, { fields: ['_id'] }))) throw notFound('Asset');
  // what is null is left out
  const parsed = inputSchema.safeParse(Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)));
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const decision = decisionOf(parsed.data, auth.email, services.clock.now());
  const marked = await context.transaction(async (transaction) => {
    const known = await rows.findOne({ _id }, { transaction });
    if (!asset && !known) throw notFound('Asset');
    const proposal = known?.proposal ?? null;
    const standing = standingOf({ proposal, decision });
    const { resource_uid, resource_type, resource_name, provider, account_id, region } = asset ?? known!;
    const identity = { resource_uid, resource_type, resource_name, provider, account_id, region };
    const said = { ...identity, kind: known?.kind ?? jewelKinds().get(resource_type) ?? 'other', proposal, decision } as const;
    if (standing) await rows.bulkUpdate([{ _id, update: { $set: { ...said, ...standing } }, upsert: true }], { transaction });
    else await rows.remove({ _id }, { transaction });
    const { by: _by, at: _at, ...detail } = decision ?? { state: 'undecided' as const, by: null, at: null };
    await context.audit(transaction, {
      action: 'crown_jewel.mark',
      actor_email: auth.email,
      target: `asset:${resourceUid}`,
      result: 'success',
      detail,
    });
    await reckonSoon(context, transaction);
    return { ...said, state: null, tier: null, ...standing };
  });
  services.jobs.wake();
  return marked;
}

/** A jewel as it is answered: without a state where nothing speaks for it any more. */
export type MarkedJewel = Omit<CrownJewelRow, '_id' | 'tenant_id' | 'state' | 'tier' | 'rank'> & {
  state: CrownJewelRow['state'] | null;
  tier: CrownJewelRow['tier'] | null;
};

function decisionOf(given: z.infer<typeof inputSchema>, by: string, at: Date): Decision | null {
  if (given.decision === 'undecided') return null;
  const none = { tier: null, value: null, value_per_hour: null, records: null, record_class: null, fines: null };
  const { decision: state, ...said } = given;
  return { ...none, ...Object.fromEntries(Object.entries(said).filter(([, value]) => value != null)), reason: said.reason, state, by, at };
}
