import { plain, referencesOf, type Reference } from '../../../catalog/edges.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import type { Database, TenantDatabase } from '../../../kit/store/database.js';
import type { BulkUpdate, Filter, TransactionOf } from '../../../kit/store/query.js';
import { countAssets } from '../counters.js';
import { assets, edges, linkRowId, type AssetRow, type EdgeRow } from '../records.js';

/** Assets of one transaction, and of which it is asked at once who refers to them; referring assets that are woken at once. */
const PAGE = 400;
const WOKEN = 1_000;
/** Edges that the attributes of one asset make at most. */
const MOST_EDGES = 2_000;
/** Names that are looked up at once, and assets that are read for them at most. */
const NAMES = 500;
const MOST_FOUND = 10_000;
const DUE: Filter = { links_due: { $exists: true } };

type Target = Pick<AssetRow, '_id' | 'resource_uid' | 'account_id' | 'known_as'>;
type Services = Pick<EngineServices, 'database'>;

/**
 * Brings the edges that attributes make in step with the assets that have changed: each reference is held against the names of all the tenant's
 * assets, whichever report told them. It may be killed anywhere and begun again: what is not done is still due.
 */
export async function resolveLinks({ database }: Services, tenantId: string, signal: AbortSignal): Promise<void> {
  const tenant = database.tenant(tenantId);
  // where all is due nobody is left to be woken
  if ((await tenant.collection(assets).count(DUE)) === (await countAssets(tenant))?.count) await resolveDue(database, tenant, DUE, signal);
  for (;;) {
    // all who refer to what has changed are woken before any is resolved, so that each is resolved once
    while (await wakePage(database, tenant, signal)) signal.throwIfAborted();
    if (!(await resolveDue(database, tenant, { links_due: 'own' }, signal))) return;
  }
}

/** Resolves the references of what is due. @returns whether anything was */
async function resolveDue(database: Database, tenant: TenantDatabase, due: Filter, signal: AbortSignal): Promise<boolean> {
  for (let any = false; ; any = true) {
    signal.throwIfAborted();
    const page = await tenant.collection(assets).find(due, { limit: PAGE, fields: ['_id'] });
    if (page.length === 0) return any;
    const ids = page.map(({ _id }) => _id);
    await database.transaction((transaction) => resolvePage(tenant, { ...due, _id: { $in: ids } }, transaction));
  }
}

/** Makes due whatever refers to the next assets that others may find, or find no longer. @returns whether there were any */
async function wakePage(database: Database, tenant: TenantDatabase, signal: AbortSignal): Promise<boolean> {
  const rows = tenant.collection(assets);
  const fields = ['known_as', 'former_names'];
  const changed = await rows.find({ links_due: 'all' }, { limit: PAGE, fields });
  if (changed.length === 0) return false;
  const namesOf = ({ known_as = [], former_names = [] }: Pick<AssetRow, 'known_as' | 'former_names'>) => [...known_as, ...former_names];
  const names = [...new Set(changed.flatMap(namesOf))];
  for (let at = 0; at < names.length; at += NAMES) await wakeReferring(tenant, names.slice(at, at + NAMES), signal);
  const asked = new Map(changed.map((row) => [row._id, namesOf(row).join('\n')]));
  await database.transaction(async (transaction) => {
    const now = await rows.find({ _id: { $in: [...asked.keys()] }, links_due: 'all' }, { fields, transaction });
    // one that has been described anew meanwhile is asked about again
    const same = now.filter((row) => asked.get(row._id) === namesOf(row).join('\n')).map(({ _id }) => _id);
    await rows.updateMany({ _id: { $in: same } }, { $set: { links_due: 'own' } }, { transaction });
  });
  return true;
}

/** Makes due whatever refers to some names. */
async function wakeReferring(tenant: TenantDatabase, names: readonly string[], signal: AbortSignal): Promise<void> {
  const rows = tenant.collection(assets);
  const referring = { wants: { $in: names }, links_due: { $exists: false } };
  for (;;) {
    signal.throwIfAborted();
    const found = await rows.find(referring, { limit: WOKEN, fields: ['_id'] });
    if (found.length === 0) return;
    await rows.updateMany({ _id: { $in: found.map(({ _id }) => _id) }, links_due: { $exists: false } }, { $set: { links_due: 'own' } });
  }
}

async function resolvePage(tenant: TenantDatabase, due: Filter, transaction: TransactionOf): Promise<void> {
  const rows = tenant.collection(assets);
  const fields = ['resource_uid', 'resource_type', 'provider', 'account_id', 'configuration'];
  const referring = await rows.find(due, { fields, transaction });
  const references = new Map(referring.map((asset) => [asset, referencesOf(asset)]));
  const owners = referring.map(({ resource_uid }) => resource_uid);
  const told = await toldEnds(tenant, references, transaction);
  const names = new Set([...references.values()].flat().flatMap(({ from, to }) => [...(from ?? []), ...(to ?? [])].flat()));
  const known = await findNamed(tenant, [...names], transaction);
  const wanted = new Map<string, EdgeRow>();
  const updates: BulkUpdate[] = [];
  for (const [asset, own] of references) {
    const found = new LinksOf(tenant.tenantId, asset, known, told.get(asset.resource_uid) ?? []);
    for (const edge of found.edges(own)) wanted.set(edge._id, edge);
    const ambiguous = found.ambiguous > 0 ? { $set: { ambiguous_links: found.ambiguous } } : {};
    updates.push({
      _id: asset._id,
      update: { ...ambiguous, $unset: { links_due: '', former_names: '', ...(found.ambiguous === 0 && { ambiguous_links: '' }) } },
    });
  }
  const own = tenant.collection(edges);
  const stored = new Set((await own.find({ owner: { $in: owners } }, { fields: ['_id'], transaction })).map(({ _id }) => _id));
  const lost = [...stored].filter((_id) => !wanted.has(_id));
  if (lost.length > 0) await own.remove({ _id: { $in: lost } }, { transaction });
  await own.insertMany(
    [...wanted.values()].filter(({ _id }) => !stored.has(_id)),
    { transaction },
  );
  await rows.bulkUpdate(updates, { transaction });
}

/** The edges that a report itself has told of assets that join two others, with the attribute that told each. */
async function toldEnds(
  tenant: TenantDatabase,
  references: ReadonlyMap<Pick<AssetRow, 'resource_uid'>, readonly Reference[]>,
  transaction: TransactionOf,
): Promise<ReadonlyMap<string, readonly EdgeRow[]>> {
  const joining = [...references].filter(([, own]) => own.some(({ from, to }) => from && to)).map(([{ resource_uid }]) => resource_uid);
  if (joining.length === 0) return new Map();
  const found = await tenant
    .collection(edges)
    .find({ from: { $in: joining }, via: { $exists: true }, owner: { $exists: false } }, { transaction });
  const told = new Map<string, EdgeRow[]>();
  for (const edge of found) {
    const known = told.get(edge.from);
    if (known) known.push(edge);
    else told.set(edge.from, [edge]);
  }
  return told;
}

/** Name -> the assets that have it. Of a name that very many have, two: it is ambiguous. */
async function findNamed(tenant: TenantDatabase, names: readonly string[], transaction: TransactionOf): Promise<Map<string, Target[]>> {
  const known = new Map<string, Target[]>();
  const rows = tenant.collection(assets);
  const look = async (part: readonly string[]): Promise<void> => {
    const limit = part.length === 1 ? 2 : MOST_FOUND + 1;
    const options = { fields: ['resource_uid', 'account_id', 'known_as'], limit, transaction } as const;
    const found: Target[] = await rows.find({ known_as: { $in: part } }, options);
    if (found.length > MOST_FOUND) {
      await look(part.slice(0, part.length / 2));
      return look(part.slice(part.length / 2));
    }
    const asked = new Set(part);
    for (const target of found)
      for (const name of target.known_as ?? []) if (asked.has(name)) known.set(name, [...(known.get(name) ?? []), target]);
  };
  for (let at = 0; at < names.length; at += NAMES) await look(names.slice(at, at + NAMES));
  return known;
}

/** The edges that the attributes of one asset make. */
class LinksOf {
  ambiguous = 0;

  constructor(
    private readonly tenantId: string,
    private readonly asset: Pick<AssetRow, 'resource_uid' | 'account_id'>,
    private readonly known: ReadonlyMap<string, readonly Target[]>,
    private readonly told: readonly EdgeRow[],
  ) {}

  edges(references: readonly Reference[]): EdgeRow[] {
    const found = new Map<string, EdgeRow>();
    const owner = this.asset.resource_uid;
    for (const { kind, via, from, to } of references) {
      const [one, other] = via.split(' + ');
      const starts = from === null ? [owner] : this.targets(from, other === undefined ? undefined : one);
      const ends = to === null ? [owner] : this.targets(to, other);
      for (const start of starts)
        for (const end of ends) {
          if (start === end || found.size >= MOST_EDGES) continue;
          const _id = linkRowId(this.tenantId, start, end, kind, owner);
          found.set(_id, { _id, tenant_id: this.tenantId, from: start, to: end, kind, via, owner });
        }
    }
    return [...found.values()];
  }

  /** The resources that the values of an attribute name. @param path of one that a report may have told by itself */
  private targets(values: readonly (readonly string[])[], path: string | undefined): string[] {
    const named = values.flatMap((names) => this.target(names) ?? []);
    const toldBy = path === undefined ? [] : this.told.filter(({ via }) => via && plain(via) === plain(path)).map(({ to }) => to);
    return [...new Set([...named, ...toldBy])];
  }

  /** The one asset that some names mean, those that count in all the world before those of its account; undefined for none and for several. */
  private target(names: readonly string[]): string | undefined {
    const worldwide = names.filter((name) => !/^\S+@/.test(name));
    for (const alike of [worldwide, names]) {
      const found = new Map(alike.flatMap((name) => this.known.get(name) ?? []).map((one) => [one.resource_uid, one]));
      if (found.size === 0) continue;
      if (found.size === 1) return [...found.keys()][0];
      const near = [...found.values()].filter(({ account_id }) => account_id === this.asset.account_id);
      if (near.length === 1) return near[0]!.resource_uid;
      this.ambiguous += 1;
      return undefined;
    }
    return undefined;
  }
}
