import { bucket, ocsf } from '../support/reports.js';
import { openWorld, type Client, type World } from '../support/world.js';
import { feed } from '../contract/feeds.js';
import { findingEngines } from '../contract/registry-facts.js';
import { markedSamples } from '../contract/seeds.js';

let world: World;
let one: Client;
let two: Client;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  [one, two] = [await (await world.tenant()).as('analyst'), await (await world.tenant()).as('analyst')];
});
afterAll(() => world.close());

interface Page {
  total: number;
  items: { finding_id: string; status: string; version: number; scan_run_id: string }[];
}
const list = async (client: Client, prefix: string, query = '') => (await client.call<Page>(`/api/v1/${prefix}/findings?${query}`)).body;

describe('A3: two tenants', () => {
  it('have two runs under the same scan_run_id', async () => {
    const [first, second] = [
      await one.import(ocsf([{ rule: 'a', resource: bucket('a') }]), { scan_run_id: 'same' }),
      await two.import(
        ocsf([
          { rule: 'b', resource: bucket('b') },
          { rule: 'c', resource: bucket('c') },
        ]),
        { scan_run_id: 'same' },
      ),
    ];
    expect([first.counts.new, second.counts.new]).toEqual([1, 2]);
    for (const [client, total] of [
      [one, 1],
      [two, 2],
    ] as const) {
      expect((await client.call<Page>('/api/v1/scan-runs')).body.total).toBe(1);
      expect((await list(client, 'check', 'scan_run_id=same')).total).toBe(total);
    }
  });

  it.each(findingEngines.map(({ viewSegment, prefix }) => [viewSegment, prefix]))(
    'have separate %s findings from the same report',
    async (segment, prefix) => {
      const samples = markedSamples('common');
      await feed(one, segment, samples);
      const alone = await list(one, prefix);
      await feed(two, segment, samples);
      expect(await list(one, prefix)).toEqual(alone);
      const theirs = await list(two, prefix);
      expect(theirs.items.map(({ finding_id }) => finding_id)).toEqual(alone.items.map(({ finding_id }) => finding_id));

      const [first] = alone.items;
      const moved = await one.call(`/api/v1/views/finding/${segment}/${first!.finding_id}/status`, {
        method: 'PATCH',
        body: { status: 'RESOLVED' },
      });
      expect(moved.status).toBe(200);
      expect(await list(two, prefix)).toEqual(theirs);
      const timeline = (client: Client) => client.call<{ total: number }>(`/api/v1/views/finding/${segment}/${first!.finding_id}/timeline`);
      expect([(await timeline(one)).body.total, (await timeline(two)).body.total]).toEqual([2, 1]);
      const summary = async (client: Client) =>
        (await client.call<{ status: Record<string, number> }>(`/api/v1/${prefix}/summary`)).body.status;
      expect([await summary(one), await summary(two)]).toMatchObject([
        { OPEN: 2, RESOLVED: 1 },
        { OPEN: 3, RESOLVED: 0 },
      ]);
    },
  );

  it('close nothing of each other: an empty run of the same account, source and artifact', async () => {
    const report = ocsf([{ rule: 'a', resource: bucket('a') }]);
    await one.import(report);
    await two.import(report);
    const run = await two.import(ocsf([{ rule: 'b', resource: bucket('b') }]));
    expect(run.counts.resolved).toBe(1);
    expect(await list(one, 'check', 'status=OPEN')).toMatchObject({ total: 1 });
  });

  it('cannot have a run cancelled, or read, by each other while it goes on', async () => {
    const report = ocsf(Array.from({ length: 2_000 }, (_, n) => ({ rule: `rule_${n}`, resource: bucket(`b${n}`) })));
    const started = await one.call<{ scan_run_id: string; state: string }>('/api/v1/scans/imports?scan_run_id=going-on', {
      raw: JSON.stringify(report),
    });
    expect(started.status).toBe(202);
    expect((await two.call('/api/v1/scan-runs/going-on/cancel', { method: 'POST' })).status).toBe(404);
    expect((await two.call('/api/v1/scan-runs/going-on')).status).toBe(404);
    expect((await one.finished('going-on')).state).toBe('COMPLETED');
  });
});
