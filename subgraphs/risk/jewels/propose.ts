import { DATA_CLASS_WORDS } from '../../../catalog/data-classes.js';
import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import { deriveLatest } from '../../../kit/engine/kept-rows.js';
import { readAssets, readClassified, readLinks, type ReadAsset, type ReadClassified } from '../../../kit/read/inventory.js';
import { rowIdOf } from '../../../kit/store/row-id.js';
import type { ResourceIdentity } from '../../../schema/model.js';
import { jewelKinds, reasonsOf, sharedKeyTypes, sharedReason, worstTier, type Reason } from './proposal-rules.js';
import { crownJewels, standingOf, type CrownJewelRow, type Proposal } from './records.js';

/** Rows that are written in one transaction, and keys whose users are counted at a time. */
const AT_ONCE = 200;

type Proposed = Pick<CrownJewelRow, keyof ResourceIdentity | 'kind'> & { readonly reasons: Reason[] };

/**
 * Brings what facts propose in step with the inventory, at the end of a run and once a day. What people have said stays as it is, and so does a
 * row of which facts say the same; doing it again changes nothing.
 */
export const proposeJewels: IngestSinks['derive'] = (context) =>
  deriveLatest(context, crownJewels.name, async (write) => {
    const { tenant_id } = context.auth;
    const proposed = await proposals(context);
    const own = context.collection(crownJewels);
    const stale: string[] = [];
    for await (const { _id, resource_uid, proposal } of own.scan({}, { fields: ['resource_uid', 'proposal'] })) {
      const now = proposed.get(resource_uid);
      if (sameProposal(proposal, now ? proposalOf(now) : null)) proposed.delete(resource_uid);
      else if (!now) stale.push(_id);
    }
    const changed = new Map([
      ...[...proposed.values()].map((one) => [rowIdOf(tenant_id, one.resource_uid), one] as const),
      ...stale.map((_id) => [_id, null] as const),
    ]);
    const ids = [...changed.keys()];
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      context.signal.throwIfAborted();
      const some = ids.slice(at, at + AT_ONCE);
      await write(async (transaction) => {
        const rows = await own.find({ _id: { $in: some } }, { transaction });
        const known = new Map(rows.map((row) => [row._id, row]));
        const gone: string[] = [];
        const updates = some.flatMap((_id) => {
          const now = changed.get(_id) ?? null;
          const decision = known.get(_id)?.decision ?? null;
          const proposal = now && proposalOf(now);
          const standing = standingOf({ proposal, decision });
          if (standing)
            return [{ _id, update: { $set: { ...(now && identityOf(now)), proposal, decision, ...standing } }, upsert: now !== null }];
          gone.push(_id);
          return [];
        });
        await own.bulkUpdate(updates, { transaction });
        if (gone.length > 0) await own.remove({ _id: { $in: gone } }, { transaction });
      });
    }
  });

/** Everything that facts propose now, by resource_uid. */
async function proposals(context: EngineContext): Promise<Map<string, Proposed>> {
  const found = new Map<string, Proposed>();
  const note = (asset: ReadClassified | ReadAsset, reasons: readonly Reason[]) => {
    const kind = jewelKinds().get(asset.resource_type);
    if (kind === undefined || reasons.length === 0) return;
    const { resource_uid, resource_type, resource_name, provider, account_id, region } = asset;
    const known = found.get(resource_uid) ?? {
      resource_uid,
      resource_type,
      resource_name,
      provider,
      account_id,
      region,
      kind,
      reasons: [],
    };
    for (const reason of reasons) if (!known.reasons.some(({ text }) => text === reason.text)) known.reasons.push(reason);
    found.set(resource_uid, known);
  };
  const asked = [
    { criticality: 'critical' } as const,
    { criticality: 'high' } as const,
    { environment: 'production' } as const,
    { data_class: DATA_CLASS_WORDS },
  ];
  for (const which of asked) for await (const asset of readClassified(context, which)) note(asset, reasonsOf(asset));
  await noteSharedKeys(context, note);
  return found;
}

async function noteSharedKeys(context: EngineContext, note: (asset: ReadAsset, reasons: readonly Reason[]) => void): Promise<void> {
  let page: ReadAsset[] = [];
  const count = async () => {
    const users = await readLinks(
      context,
      page.map(({ resource_uid }) => resource_uid),
      [
        { kind: 'encrypted_with', direction: 'in' },
        { kind: 'reads_secret', direction: 'in' },
        { kind: 'credential_for', direction: 'out' },
      ],
    );
    for (const key of page) {
      const reason = sharedReason(users.get(key.resource_uid)?.total ?? 0);
      if (reason) note(key, [reason]);
    }
    page = [];
  };
  for await (const key of readAssets(context, sharedKeyTypes())) if (page.push(key) === AT_ONCE) await count();
  if (page.length > 0) await count();
}

const identityOf = ({ resource_uid, resource_type, resource_name, provider, account_id, region, kind }: Proposed) => ({
  ...{ resource_uid, resource_type, resource_name, provider, account_id, region, kind },
});

const proposalOf = ({ reasons }: Proposed): Proposal => ({ tier: worstTier(reasons), reasons: reasons.map(({ text }) => text).sort() });

const sameProposal = (one: Proposal | null, other: Proposal | null): boolean =>
  one?.tier === other?.tier && one?.reasons.join('\n') === other?.reasons.join('\n');
