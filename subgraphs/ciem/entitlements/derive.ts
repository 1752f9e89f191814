import { accessTypes } from '../../../catalog/access/needed.js';
import { actionsOf } from '../../../catalog/actions/actions.js';
import { actorsOf } from '../../../catalog/actions/actors.js';
import type { Granted } from '../../../catalog/entitlements/granted.js';
import { facetOf } from '../../../catalog/facets.js';
import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import { keepRows } from '../../../kit/engine/kept-rows.js';
import { withEstate } from '../../../kit/read/estate.js';
import { readAssetTypes, type ReadAsset } from '../../../kit/read/inventory.js';
import { PROVIDERS, type Provider } from '../../../schema/model.js';
import { digestOf, rowIdOf } from '../../../kit/store/row-id.js';
import type { EntitlementsReply, EntitlementsRequest } from './entitlements-thread.js';
import { ACTING, ciemEntitlements, type ActingKind, type EntitlementRow } from './records.js';
import { grantedRights, UseOfProvider } from './use.js';

/** Identities whose rights are asked for at a time. */
const AT_ONCE = 100;

/** An identity as the inventory has it. */
type Identity = Pick<
  EntitlementRow,
  'resource_uid' | 'resource_type' | 'resource_name' | 'provider' | 'account_id' | 'region' | 'kind' | 'human' | 'created_at' | 'actors'
>;

/** Brings the entitlements of a tenant in step with its inventory, and with what its logs and reports say. */
export const deriveEntitlements: IngestSinks['derive'] = (context, { at }) =>
  keepRows(context, ciemEntitlements, async function* () {
    const present = await readAssetTypes(context);
    for (const provider of PROVIDERS)
      if (actingTypes(provider).some((type) => present.has(type))) yield* entitlementsOf(context, provider, at);
  });

async function* entitlementsOf(context: EngineContext, provider: Provider, now: Date): AsyncGenerator<EntitlementRow[]> {
  const types = accessTypes(provider);
  const identities = new Map<string, Identity>();
  const granted: Granted[] = [];
  const note = (asset: ReadAsset) => {
    const identity = asset.configuration === null ? null : identityOf(asset);
    if (identity !== null) identities.set(asset.resource_uid, identity);
  };
  const use = await UseOfProvider.open(context, provider, now);
  await withEstate<void, EntitlementsRequest, EntitlementsReply>(
    context,
    'entitlements',
    types,
    async (thread) => {
      const uids = [...identities.keys()];
      for (let at = 0; at < uids.length; at += AT_ONCE)
        granted.push(...((await thread.ask({ granted: { provider, uids: uids.slice(at, at + AT_ONCE) } })) as Granted[]));
    },
    note,
  );
  for (let at = 0; at < granted.length; at += AT_ONCE) {
    const some = granted.slice(at, at + AT_ONCE).map((one) => bareRow(context.auth.tenant_id, identities.get(one.uid)!, one));
    const uses = await use.of(some);
    yield some.map((row, n) => withUse(row, uses[n]!.use));
  }
}

const facet = facetOf('identity');
const actingTypes = (provider: Provider) => accessTypes(provider).filter((type) => facet.types.has(type));

/** An identity that acts by itself; null for what is none. */
function identityOf({ facts: _, ...asset }: ReadAsset): Identity | null {
  if (!facet.types.has(asset.resource_type)) return null;
  const { kind, human } = facet.evaluate(asset);
  if (!ACTING.includes(kind as ActingKind)) return null;
  const { resource_uid, resource_type, resource_name, provider, account_id, region } = asset;
  const place = { resource_uid, resource_type, resource_name, provider, account_id, region };
  const acting = { kind: kind as ActingKind, human: typeof human === 'boolean' ? human : null };
  return { ...place, ...acting, created_at: createdAt(asset), actors: actorsOf(asset) };
}

/** When an identity was made, where its source tells. */
function createdAt({ configuration }: Pick<ReadAsset, 'configuration'>): Date | null {
  const created = configuration?.['create_date'];
  const at = typeof created === 'string' ? new Date(created) : null;
  return at === null || Number.isNaN(at.getTime()) ? null : at;
}

type Bare = Omit<EntitlementRow, keyof Awaited<ReturnType<UseOfProvider['of']>>[number]['use'] | 'digest'>;

function bareRow(tenant_id: string, identity: Identity, { admin, privilege, needs, allow }: Granted): Bare {
  const actions = actionsOf(identity.provider);
  const given = {
    ...identity,
    ...{ admin, privilege, needs, allow },
    granted_rights: grantedRights(actions, needs, allow),
    granted_services: new Set(needs.map(({ service }) => service)).size,
  };
  return { _id: rowIdOf(tenant_id, identity.resource_uid), tenant_id, ...given, granted_digest: digestOf(given) };
}

/** A row with what is told of its use. */
export function withUse(row: Bare, use: Awaited<ReturnType<UseOfProvider['of']>>[number]['use']): EntitlementRow {
  return { ...row, ...use, digest: digestOf([row.granted_digest, use]) };
}
