import { callCounts } from '../../kit/store/call-counts.js';
import { feed } from '../contract/feeds.js';
import { openWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

interface Usage {
  plan: string;
  months: { month: string; accounts: number | null; assets: number | null; scans: number; api_calls: number }[];
  allowances: { name: string; allowed: number; used: number | null; left: number | null }[];
}

describe('usage', () => {
  it('tells of this month and those before, and what the plan leaves', async () => {
    const tenant = await world.tenant();
    const owner = await tenant.as('org_admin');
    const sample = {
      rule: 'r',
      title: 'T',
      name: 'b',
      severity: 'low',
      provider: 'aws',
      region: 'eu-west-1',
      type: 'aws_s3_bucket',
    } as const;
    const samples = [1, 2, 3].map((n) => ({ ...sample, resource: `arn:aws:s3:::b-${n}`, account: n === 3 ? 'a2' : 'a1' }));
    await feed(owner, 'check', samples, { source: 'scanner' });
    await feed(owner, 'vulnerability', samples.slice(0, 1), { source: 'scanner' });
    const [month, day] = [new Date().toISOString().slice(0, 7), new Date().toISOString().slice(0, 10)];
    const counts = world.database.tenant(tenant.tenant._id).collection(callCounts);
    await counts.bulkUpdate([
      { _id: `${tenant.tenant._id}|${day}`, update: { $inc: { calls: 1_000 }, $setOnInsert: { day } }, upsert: true },
    ]);
    const { status, body } = await owner.call<Usage>('/api/v1/billing/usage?months=3');
    expect([status, body.plan, body.months.length]).toEqual([200, 'growth', 3]);
    expect(body.months[0]).toMatchObject({ month, accounts: 2, assets: 3 });
    expect(body.months[0]!.api_calls).toBeGreaterThanOrEqual(1_000);
    expect(body.months[1]).toMatchObject({ accounts: null, assets: null, scans: 0, api_calls: 0 });
    const of = (name: string) => body.allowances.find((one) => one.name === name)!;
    expect([of('assets'), of('findings')]).toEqual([
      { name: 'assets', allowed: 1_000_000, used: 3, left: 999_997 },
      { name: 'findings', allowed: 2_000_000, used: 4, left: 1_999_996 },
    ]);
  });

  it('of a tenant that has nothing is nothing', async () => {
    const owner = await (await world.tenant()).as('org_admin');
    const { body } = await owner.call<Usage>('/api/v1/billing/usage?months=1');
    expect(body.months[0]).toMatchObject({ accounts: 0, assets: 0, scans: 0 });
  });

  it('is for those who may read it, and asks for 1 to 24 months', async () => {
    const tenant = await world.tenant();
    expect((await (await tenant.as('tenant_admin')).call('/api/v1/billing/usage')).status).toBe(403);
    const owner = await tenant.as('org_admin');
    expect(
      (await Promise.all([0, 25].map((months) => owner.call(`/api/v1/billing/usage?months=${months}`)))).map(({ status }) => status),
    ).toEqual([400, 400]);
  });
});
