import type { AccessEdge, AccessNode } from '../../../catalog/access/edges/types.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { BulkUpdate, TransactionOf } from '../../../kit/store/query.js';
import type { Provider } from '../../../schema/model.js';
import { accessRowId, assetRowId, edges } from '../records.js';
import { accessNodes, placeOf } from './records.js';
import { digestOf } from '../../../kit/store/row-id.js';

/** Rows that are removed in one transaction. */
const BATCH = 500;

type Work = (transaction: TransactionOf) => Promise<void>;

/** The edges of access that are stored, held against those that are derived. */
export class KeptAccess {
  /** Digest by `_id` of what is stored and has not been derived yet. */
  private readonly edges = new Map<string, string>();
  private readonly nodes = new Map<string, string>();
  /** Nodes are told again with every edge that leads to them. */
  private readonly told = new Set<string>();

  private constructor(
    private readonly tenant: TenantDatabase,
    private readonly provider: Provider,
  ) {}

  /** @param places where edges are kept that are derived; all of the provider's for null */
  static async read(tenant: TenantDatabase, provider: Provider, places: readonly string[] | null): Promise<KeptAccess> {
    const kept = new KeptAccess(tenant, provider);
    const access_in = places === null ? { $gte: `${provider}/`, $lt: `${provider}0` } : { $in: places };
    for await (const { _id, access_digest = '' } of tenant.collection(edges).scan({ access_in }, { fields: ['access_digest'] }))
      kept.edges.set(_id, access_digest);
    for await (const { _id, digest } of tenant.collection(accessNodes).scan({ access_in }, { fields: ['digest'] }))
      kept.nodes.set(_id, digest);
    return kept;
  }

  /** What makes the stored rows those of a part of the derived ones; null where they are. */
  changesTo(derived: readonly AccessEdge[], nodes: readonly AccessNode[]): Work | null {
    const own = nodes.filter(({ uid }) => !this.told.has(uid) && this.told.add(uid));
    const edgeUpdates = derived.flatMap((edge) => changed(this.edges, this.edgeUpdate(edge), 'access_digest'));
    const nodeUpdates = own.flatMap((node) => changed(this.nodes, this.nodeUpdate(node), 'digest'));
    if (edgeUpdates.length === 0 && nodeUpdates.length === 0) return null;
    return async (transaction) => {
      await this.tenant.collection(edges).bulkUpdate(edgeUpdates, { transaction });
      await this.tenant.collection(accessNodes).bulkUpdate(nodeUpdates, { transaction });
    };
  }

  /** What removes the rows that were not derived. */
  *removals(): Generator<Work> {
    const [lost, lostNodes] = [[...this.edges.keys()], [...this.nodes.keys()]];
    for (let at = 0; at < Math.max(lost.length, lostNodes.length); at += BATCH)
      yield async (transaction) => {
        await this.tenant.collection(edges).remove({ _id: { $in: lost.slice(at, at + BATCH) } }, { transaction });
        await this.tenant.collection(accessNodes).remove({ _id: { $in: lostNodes.slice(at, at + BATCH) } }, { transaction });
      };
  }

  private edgeUpdate({ from, to, kind, privilege, conditional, assumed, by, way, accounts }: AccessEdge): BulkUpdate {
    const access_in = accounts.map((account) => placeOf(this.provider, account));
    const rises = kind !== 'may_access' || privilege === 'admin' ? { rises: this.provider } : {};
    const row = { from, to, kind, access: { privilege, conditional, assumed, by, way }, access_in, ...rises };
    const _id = accessRowId(this.tenant.tenantId, from, to, kind, privilege);
    return { _id, update: { $set: { ...row, access_digest: digestOf(row, 22) } }, upsert: true };
  }

  private nodeUpdate(node: AccessNode): BulkUpdate {
    const row = { ...node, access_in: placeOf(this.provider, node.account_id) };
    return { _id: assetRowId(this.tenant.tenantId, node.uid), update: { $set: { ...row, digest: digestOf(row, 22) } }, upsert: true };
  }
}

/** An update of a row that does not say the same yet, and crosses it off. */
function changed(stored: Map<string, string>, update: BulkUpdate, digest: 'digest' | 'access_digest'): BulkUpdate[] {
  const { _id } = update;
  const before = stored.get(_id);
  stored.delete(_id);
  return before === (update.update['$set'] as Record<string, unknown>)[digest] ? [] : [update];
}
