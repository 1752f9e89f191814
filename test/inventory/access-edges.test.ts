import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { Random } from '../../bench/random.js';
import { accessEdges } from '../../catalog/access/edges/derive.js';
import type { AccessEdge } from '../../catalog/access/edges/types.js';
import { AccessModel } from '../../catalog/access/model.js';
import { accountsTouchedBy } from '../../catalog/access/touched.js';
import type { InventoryResource } from '../../catalog/resource.js';
import { Database } from '../../kit/store/database.js';
import { PROVIDERS, type Provider } from '../../schema/model.js';
import { KeptAccess } from '../../subgraphs/di/access/kept.js';
import { accessNodes, placeOf } from '../../subgraphs/di/access/records.js';
import { edges } from '../../subgraphs/di/records.js';
import { assetsOf, estatesOf, type Case } from '../catalog/access/cases.js';

let database: Database;
beforeAll(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `access_${randomUUID().slice(0, 8)}`, [
    edges,
    accessNodes,
  ] as never[]);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

/** The base of a provider's cases, and what those of edges say besides, each under a name of its own. */
function poolOf(provider: Provider): { base: InventoryResource[]; pool: InventoryResource[] } {
  const estates = estatesOf(provider);
  const kept = load(readFileSync(join(__dirname, '../catalog/access/kept', `${provider}.yaml`), 'utf8')) as Case[];
  const base = assetsOf(estates, { ...kept[0]!, with: {} });
  const isBase = new Set(base.map(({ resource_uid }) => resource_uid));
  const pool = kept.flatMap((one, n) =>
    assetsOf(estates, one).map((asset) =>
      isBase.has(asset.resource_uid) ? asset : { ...asset, resource_uid: `${asset.resource_uid}-${n}` },
    ),
  );
  return { base, pool };
}

const saidBy = ({ from, to, kind, privilege, conditional, assumed, way, by }: Omit<AccessEdge, 'accounts'>): string =>
  JSON.stringify([
    from,
    kind,
    privilege,
    to,
    conditional,
    assumed,
    way,
    by.map(({ resource_uid, statement }) => [resource_uid, statement]),
  ]);
const whole = (estate: Iterable<InventoryResource>, provider: Provider): string[] =>
  [...accessEdges(new AccessModel(estate), provider)].flatMap((derived) => derived.edges.map(saidBy)).sort();
async function stored(provider: Provider): Promise<string[]> {
  const rows = await database.tenant(provider).collection(edges).find({});
  return rows.map(({ from, to, kind, access }) => saidBy({ from, to, kind: kind as AccessEdge['kind'], ...access! })).sort();
}

/** @param most writes before it is killed @returns how many writes there were, and whether it came to its end */
async function derive(estate: Iterable<InventoryResource>, provider: Provider, accounts: ReadonlySet<string> | null, most = Infinity) {
  const tenant = database.tenant(provider);
  const places = accounts && ['', ...accounts].map((account) => placeOf(provider, account));
  const kept = await KeptAccess.read(tenant, provider, places);
  let writes = 0;
  for (const derived of accessEdges(new AccessModel(estate), provider, (account) => accounts === null || accounts.has(account))) {
    const work = kept.changesTo(derived.edges, derived.nodes);
    if (work === null) continue;
    if (writes++ === most) return { writes, ended: false };
    await database.transaction(work);
  }
  for (const work of kept.removals()) {
    if (writes++ === most) return { writes, ended: false };
    await database.transaction(work);
  }
  return { writes, ended: true };
}

it.each(PROVIDERS)(
  'after any changes in %s, killed anywhere, the edges of touched accounts make those of the whole estate',
  async (provider) => {
    const random = new Random(11);
    const { base, pool } = poolOf(provider);
    const accounts = [base[0]!.account_id!, 'second'];
    const estate = new Map([...pool.filter(() => random.next() < 0.3), ...base].map((asset) => [asset.resource_uid, asset]));
    let due: Set<string> | null = null;
    const touch = (asset: InventoryResource | undefined) => {
      const touched = asset === undefined ? [] : accountsTouchedBy(asset);
      if (touched === null) due = null;
      else for (const account of touched) due?.add(account);
    };
    const met = new Set<string>();
    for (let round = 0; round < 16; round++) {
      for (let n = 0; n < 4; n++) {
        const asset = random.of(pool);
        const uid = asset.resource_uid;
        touch(estate.get(uid));
        if (random.next() < 0.2) estate.delete(uid);
        else estate.set(uid, random.next() < 0.9 ? asset : { ...asset, account_id: random.of(accounts) });
        touch(estate.get(uid));
      }
      const { ended } = await derive(estate.values(), provider, due, random.next() < 0.3 ? random.below(3) : Infinity);
      if (!ended) continue;
      due = new Set();
      const edgesOfAll = whole(estate.values(), provider);
      for (const edge of edgesOfAll) met.add(edge);
      expect(await stored(provider)).toEqual(edgesOfAll);
    }
    expect(met.size).toBeGreaterThan(3);
    await derive(estate.values(), provider, null);
    expect(await stored(provider)).toEqual(whole(estate.values(), provider));
    // the same again writes nothing, and what edges lead to is there
    expect(await derive(estate.values(), provider, null)).toEqual({ writes: 0, ended: true });
    const nodes = new Set((await database.tenant(provider).collection(accessNodes).find({})).map(({ uid }) => uid));
    const ends = (await database.tenant(provider).collection(edges).find({})).map(({ to }) => to);
    expect(ends.filter((uid) => /\/(?:scope\/[^/]+|administrator)$/.test(uid) && !nodes.has(uid))).toEqual([]);
  },
);
