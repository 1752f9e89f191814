import { accessTypes } from '../../../catalog/access/needed.js';
import { actionsOf } from '../../../catalog/actions/actions.js';
import { hasForm, type Proposal } from '../../../catalog/entitlements/proposal.js';
import type { UsedRight } from '../../../catalog/entitlements/used.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { withEstate } from '../../../kit/read/estate.js';
import { rowIdOf } from '../../../kit/store/row-id.js';
import type { EntitlementsReply, EntitlementsRequest } from './entitlements-thread.js';
import { ciemEntitlements, type EntitlementRow } from './records.js';
import { UseOfProvider } from './use.js';

const MOST_USED = 1_000;

/** What one identity is given and used, with the least that would do; null when the tenant has no such identity. */
export async function entitlementDetail(context: EngineContext, identity_uid: string) {
  const row = await context.collection(ciemEntitlements).findOne({ _id: rowIdOf(context.auth.tenant_id, identity_uid) });
  if (row === null) return null;
  const use = await UseOfProvider.open(context, row.provider, context.services.clock.now());
  const [found] = await use.of([row]);
  const { used } = found!;
  const entitlement = { ...row, ...found!.use };
  return {
    entitlement,
    granted: row.allow,
    used: used.slice(0, MOST_USED),
    used_cut: used.length > MOST_USED,
    gaps: actionsOf(row.provider).table.gaps,
    proposal: await proposalFor(context, entitlement, used),
  };
}

const NOTHING = { form: null, documents: [], replaces: [], left_out: [], proof: null };

async function proposalFor(context: EngineContext, { provider, resource_uid, is_proven }: EntitlementRow, used: UsedRight[]) {
  if (!hasForm(provider)) return { ...NOTHING, state: 'not_supported' };
  if (!is_proven) return { ...NOTHING, state: 'insufficient_evidence' };
  const proposal = (await withEstate<EntitlementsReply, EntitlementsRequest, EntitlementsReply>(
    context,
    'entitlements',
    accessTypes(provider),
    (thread) => thread.ask({ proposal: { provider, uid: resource_uid, used } }),
  )) as Proposal | null;
  if (proposal === null) return { ...NOTHING, state: 'nothing_used' };
  return proposal.proof.holds ? { ...proposal, state: 'proposed' } : { ...proposal, documents: [], state: 'not_proved' };
}
