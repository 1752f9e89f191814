import { randomUUID } from 'node:crypto';
import { Database } from '../../kit/store/database.js';
import { changedLinks, linkColumns } from '../../subgraphs/di/links/columns.js';
import { removeLinks } from '../../subgraphs/di/links/remove.js';
import { resolveLinks } from '../../subgraphs/di/links/resolve.js';
import { assetRowId, assets, edges, type AssetRow } from '../../subgraphs/di/records.js';
import { Random } from '../../bench/random.js';

const never = new AbortController().signal;
let database: Database;
beforeAll(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `links_${randomUUID().slice(0, 8)}`, [
    assets,
    edges,
  ] as never[]);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

type Seen = Pick<AssetRow, 'resource_uid' | 'resource_type' | 'account_id'> & { configuration: Record<string, unknown> };

/** Writes assets as a run does. */
async function see(tenantId: string, seen: readonly Seen[]): Promise<void> {
  const rows = database.tenant(tenantId).collection(assets);
  for (const one of seen) {
    const asset = { ...one, provider: 'aws' as const };
    const _id = assetRowId(tenantId, asset.resource_uid);
    const stored = await rows.findOne({ _id });
    const columns = changedLinks(asset, stored ?? undefined);
    await rows.bulkUpdate([{ _id, update: { $set: { ...asset, ...columns } }, upsert: true }]);
  }
}

async function gone(tenantId: string, uids: readonly string[]): Promise<void> {
  const tenant = database.tenant(tenantId);
  await database.transaction(async (transaction) => {
    const going = await tenant.collection(assets).find({ _id: { $in: uids.map((uid) => assetRowId(tenantId, uid)) } }, { transaction });
    await removeLinks(tenant, going, transaction);
    await tenant.collection(assets).remove({ _id: { $in: uids.map((uid) => assetRowId(tenantId, uid)) } }, { transaction });
  });
}

const linksOf = async (tenantId: string): Promise<string[]> =>
  (await database.tenant(tenantId).collection(edges).find({})).map(({ from, kind, to }) => `${from} ${kind} ${to}`).sort();

const asset = (
  resource_uid: string,
  resource_type: string,
  configuration: Record<string, unknown>,
  account_id: string | null = null,
): Seen => ({
  ...{ resource_uid, resource_type, configuration, account_id },
});

it('references meet what is seen before, with and after them, and follow what changes', async () => {
  const subnet = (id: string) => asset(`uid-${id}`, 'aws_subnet', { id });
  const instance = (subnet_id: string) => asset('i', 'aws_instance', { subnet_id });
  await see('order', [instance('s1')]);
  await resolveLinks({ database }, 'order', never);
  expect(await linksOf('order')).toEqual([]);
  await see('order', [subnet('s1')]);
  await resolveLinks({ database }, 'order', never);
  expect(await linksOf('order')).toEqual(['uid-s1 contains i']);
  await see('order', [subnet('s2'), instance('s2')]);
  await resolveLinks({ database }, 'order', never);
  expect(await linksOf('order')).toEqual(['uid-s2 contains i']);
  // the subnet has another id now
  await see('order', [asset('uid-s2', 'aws_subnet', { id: 's3' })]);
  await resolveLinks({ database }, 'order', never);
  expect(await linksOf('order')).toEqual([]);
});

it('a resource that joins two makes an edge between these', async () => {
  const join = { user: 'ann', groups: ['devs', 'ops'] };
  await see('joins', [
    asset('ann', 'aws_iam_user', { name: 'ann' }, '1'),
    asset('devs', 'aws_iam_group', { name: 'devs' }, '1'),
    asset('ops', 'aws_iam_group', { name: 'ops' }, '1'),
    asset('other', 'aws_iam_group', { name: 'ops' }, '2'),
    asset('membership', 'aws_iam_user_group_membership', join, '1'),
  ]);
  await resolveLinks({ database }, 'joins', never);
  expect(await linksOf('joins')).toEqual(['ann member_of devs', 'ann member_of ops']);
});

it('what means several resources makes no edge and is counted, until one of them goes', async () => {
  const twice = (uid: string) => asset(uid, 'aws_subnet', { id: 's' });
  await see('several', [
    twice('one'),
    twice('two'),
    asset('i', 'aws_instance', { subnet_id: 's' }),
    asset('i', 'aws_instance', { subnet_id: 's' }),
  ]);
  await resolveLinks({ database }, 'several', never);
  expect(await linksOf('several')).toEqual([]);
  const row = () => database.tenant('several').collection(assets).findOne({ resource_uid: 'i' });
  expect(await row()).toMatchObject({ ambiguous_links: 1 });
  await see('several', [asset('two', 'aws_subnet', { id: 'other' })]);
  await resolveLinks({ database }, 'several', never);
  expect(await linksOf('several')).toEqual(['one contains i']);
  expect((await row())!.ambiguous_links).toBeUndefined();
});

/** A small estate in which names meet, change and go. */
function change(next: () => number, known: Map<string, Seen>): Seen {
  const pick = (values: readonly string[]) => values[Math.floor(values.length * next())]!;
  const type = pick([
    'aws_subnet',
    'aws_security_group',
    'aws_instance',
    'aws_instance',
    'aws_iam_user',
    'aws_iam_group',
    'aws_iam_user_group_membership',
  ]);
  const names = ['a', 'b', 'c'];
  const some = () => names.filter(() => next() < 0.4);
  const configuration: Record<string, unknown> = {
    ...(type === 'aws_instance' ? { subnet_id: pick(names), vpc_security_group_ids: some() } : {}),
    ...(/membership$/.test(type) ? { user: pick(names), groups: some() } : {}),
    ...(/subnet$|security_group$/.test(type) ? { id: pick(names), vpc_id: 'none' } : {}),
    ...(/user$|_group$/.test(type) ? { name: pick(names) } : {}),
  };
  const one = asset(`${type}-${Math.floor(4 * next())}`, type, configuration, pick(['1', '2']));
  known.set(one.resource_uid, one);
  return one;
}

it('after any changes, killed anywhere, the edges are those of the estate seen at once', async () => {
  const random = new Random(7);
  const next = () => random.next();
  const known = new Map<string, Seen>();
  for (let round = 0; round < 25; round++) {
    await see(
      'run',
      Array.from({ length: 6 }, () => change(next, known)),
    );
    const lost = [...known.keys()].filter(() => next() < 0.08);
    await gone('run', lost);
    for (const uid of lost) known.delete(uid);
    if (round % 3 === 0) {
      // killed between two transactions
      const killed = new AbortController();
      const tenant = database.tenant('run').collection(assets);
      const due = await tenant.find({ links_due: { $exists: true } }, { fields: ['_id'] });
      const late = due.slice(0, due.length / 2).map(({ _id }) => _id);
      await tenant.updateMany({ _id: { $in: late } }, { $set: { links_due: 'all' } });
      killed.abort();
      await expect(resolveLinks({ database }, 'run', killed.signal)).rejects.toThrow();
    }
    await resolveLinks({ database }, 'run', never);
    const fresh = `fresh${round}`;
    await see(fresh, [...known.values()].reverse());
    await resolveLinks({ database }, fresh, never);
    expect({ round, links: await linksOf('run') }).toEqual({ round, links: await linksOf(fresh) });
    const before = await database.tenant('run').collection(edges).find({});
    await resolveLinks({ database }, 'run', never);
    expect(await database.tenant('run').collection(edges).find({})).toEqual(before);
  }
});

it('a resource to which very many refer is met in pages', async () => {
  const many = Array.from({ length: 2_300 }, (_, n) => asset(`i${n}`, 'aws_instance', { subnet_id: 's' }));
  const rows = database.tenant('hub').collection(assets);
  await rows.insertMany(
    many.map((one) => ({
      ...one,
      ...linkColumns({ ...one, provider: 'aws' }),
      _id: assetRowId('hub', one.resource_uid),
      provider: 'aws',
      tenant_id: 'hub',
    })) as unknown as AssetRow[],
  );
  await see('hub', [asset('s', 'aws_subnet', { id: 's' })]);
  await resolveLinks({ database }, 'hub', never);
  expect(await database.tenant('hub').collection(edges).count({ from: 's', kind: 'contains' })).toBe(2_300);
  expect(await rows.count({ links_due: { $exists: true } })).toBe(0);
});
