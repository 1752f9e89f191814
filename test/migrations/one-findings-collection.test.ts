import { FINDING_STATUSES } from '../../schema/model.js';
import { findingEngines } from '../contract/registry-facts.js';
import type { TestProcess } from '../support/process.js';
import { recordedAsff, recordedOcsf, recordedState } from '../support/recorded-report.js';
import type { Client, World } from '../support/world.js';
import { startOver, unpack, worldOf } from './recorded-folder.js';

const TENANT = 'ten_43e9446ee985f8a3091a6ff2';
const ALL = `status=${FINDING_STATUSES.join(',')}&page_size=200`;

interface Item {
  finding_id: string;
  engine: string;
  rule_id: string;
  title: string;
  status: string;
  first_seen_at: string;
  scan_run_id: string;
}
interface Event {
  action: string;
  from: string | null;
  to: string | null;
  note: string | null;
}

let server: TestProcess;
let world: World;
let client: Client;
let viewer: Client;
let folder: string;
beforeAll(async () => {
  folder = unpack('one-collection-each');
  server = await startOver(folder);
  world = await worldOf(folder, server);
  const tenant = await world.existing(TENANT);
  client = await tenant.as('analyst');
  viewer = await tenant.as('viewer');
});
afterAll(async () => {
  await world.close();
  await server.end('SIGTERM');
});

async function findings(): Promise<Item[]> {
  const lists = await Promise.all(
    findingEngines.map(async ({ prefix }) => {
      const { body } = await client.call<{ items: Item[]; total: number }>(`/api/v1/${prefix}/findings?${ALL}`);
      const { body: counted } = await client.call<{ total: number }>(`/api/v1/${prefix}/summary?${ALL.replace('&page_size=200', '')}`);
      expect({ prefix, total: body.total, counted: counted.total }).toEqual({
        prefix,
        total: body.items.length,
        counted: body.items.length,
      });
      return body.items;
    }),
  );
  return lists.flat();
}
const named = (items: readonly Item[], part: string) => items.find(({ title, rule_id }) => title.includes(part) || rule_id === part)!;
const timeline = async (segment: string, id: string, reader = client) =>
  (await reader.call<{ items: Event[] }>(`/api/v1/views/finding/${segment}/${id}/timeline`)).body.items;

/** What people had done, by a part of the title: where it stands now. */
const DONE: Readonly<Record<string, readonly [engine: string, status: string, note: string | null]>> = {
  'det-1': ['cdr', 'SUPPRESSED', 'a drill of our red team'],
  'det-2': ['cdr', 'OPEN', null],
  'det-3': ['cdr', 'RESOLVED', 'port closed'],
  'data-1': ['datasec', 'IN_PROGRESS', 'being moved'],
  'check-1': ['check', 'SUPPRESSED', 'a public site'],
  'aws.kms.key.key_rotation': ['encryption', 'SUPPRESSED', 'rotated by hand'],
};

describe('a data folder of the release before', () => {
  let before: Item[];

  it('keeps every finding, under the engine that it belongs to now', async () => {
    before = await findings();
    expect(before).toHaveLength(48);
    for (const [name, [engine, status]] of Object.entries(DONE))
      expect({ name, ...named(before, name) }).toMatchObject({ name, engine, status });
    expect(new Set(before.map(({ engine }) => engine))).toEqual(
      new Set(
        ['check', 'cdr', 'datasec', 'dbsec', 'encryption', 'iam', 'network-security', 'secops', 'vulnerability'].filter((name) =>
          before.some(({ engine }) => engine === name),
        ),
      ),
    );
    for (const engine of ['cdr', 'datasec', 'encryption', 'network-security']) expect(before.map((item) => item.engine)).toContain(engine);
  });

  it('finds a finding by its old address, with the whole of its history', async () => {
    const { finding_id } = named(before, 'det-1');
    const old = await client.call<{ finding: { engine: string; findingId: string; status: string } }>(
      `/api/v1/views/finding/check/${finding_id}`,
    );
    expect(old).toMatchObject({ status: 200, body: { finding: { engine: 'cdr', findingId: finding_id, status: 'SUPPRESSED' } } });
    for (const segment of ['check', 'cdr']) {
      const events = await timeline(segment, finding_id);
      expect(events.map(({ action }) => action)).toEqual(['finding.suppress', 'finding.open']);
      expect(events[0]).toMatchObject({ from: 'OPEN', to: 'SUPPRESSED', note: 'a drill of our red team' });
    }
  });

  it('shows it by its old address only to who may read the engine that it is in now', async () => {
    const data = named(before, 'data-1').finding_id;
    const absent = await viewer.call(`/api/v1/views/finding/check/${'0'.repeat(32)}`);
    const hidden = await viewer.call(`/api/v1/views/finding/check/${data}`);
    expect(hidden.status).toBe(404);
    expect(hidden.text.replace(/[0-9a-f-]{36}/g, '')).toBe(absent.text.replace(/[0-9a-f-]{36}/g, ''));
    expect((await viewer.call(`/api/v1/views/finding/check/${data}/timeline`)).status).toBe(404);
    expect((await viewer.call(`/api/v1/views/finding/datasec/${data}`)).status).toBe(403);
    expect((await viewer.call(`/api/v1/views/finding/check/${named(before, 'det-1').finding_id}`)).status).toBe(200);
  });

  it('keeps tickets, and is triaged by its old address', async () => {
    const { finding_id } = named(before, 'det-2');
    const { body } = await client.call<{ finding: { ticketId: string; engine: string } }>(`/api/v1/views/finding/check/${finding_id}`);
    expect(body.finding).toMatchObject({ ticketId: 'SEC-7', engine: 'cdr' });
    const linked = await client.call(`/api/v1/views/finding/check/${finding_id}/ticket`, {
      method: 'PUT',
      body: { ticket_id: 'SEC-8', ticket_url: 'https://tracker.example/SEC-8' },
    });
    expect(linked).toMatchObject({ status: 200, body: { engine: 'cdr', ticket_id: 'SEC-8' } });
    const moved = await client.call(`/api/v1/views/finding/check/${finding_id}/status`, {
      method: 'PATCH',
      body: { status: 'IN_PROGRESS' },
    });
    expect(moved).toMatchObject({ status: 200, body: { engine: 'cdr', status: 'IN_PROGRESS' } });
    await client.call(`/api/v1/views/finding/cdr/${finding_id}/status`, { method: 'PATCH', body: { status: 'OPEN' } });
  });

  it('opens and doubles nothing when the same reports come again, and reopens nothing that a person suppressed', async () => {
    const runs = [
      await client.import(recordedAsff, { scan_run_id: 'again-asff' }),
      await client.import(recordedOcsf, { scan_run_id: 'again-ocsf' }),
      await client.import(recordedState, { scan_run_id: 'again-state', account_id: '111122223333', artifact: 'recorded' }),
    ];
    expect(runs.map(({ state, errors }) => ({ state, errors }))).toEqual(runs.map(() => ({ state: 'COMPLETED', errors: [] })));
    expect(runs.map(({ counts }) => counts.new)).toEqual([0, 0, 0]);
    const after = await findings();
    const byId = (items: readonly Item[]) => items.map(({ finding_id }) => finding_id).sort();
    expect(byId(after)).toEqual(byId(before));
    for (const item of after) {
      const old = before.find(({ finding_id }) => finding_id === item.finding_id)!;
      expect(item.first_seen_at).toBe(old.first_seen_at);
      // another rule's finding on the resource stands for it since
      if (item.scan_run_id === old.scan_run_id) {
        const [last] = await timeline(item.engine, item.finding_id);
        expect([item.title, item.status, last]).toEqual([item.title, 'RESOLVED', expect.objectContaining({ action: 'finding.resolve' })]);
        continue;
      }
      expect(item.scan_run_id).toMatch(/^again-/);
      // what a person resolved by hand is still reported, and comes back
      if (old.status !== 'RESOLVED') expect({ title: item.title, status: item.status }).toEqual({ title: item.title, status: old.status });
    }
    // what the stored row did not tell, the run told
    expect(named(after, 'stale_access_key')).toMatchObject({ engine: 'iam', status: 'FALSE_POSITIVE' });
    expect(named(after, 'public_personal_data')).toMatchObject({ engine: 'datasec', status: 'SUPPRESSED' });
    const events = await timeline('check', named(after, 'stale_access_key').finding_id);
    expect(events.map(({ action }) => action)).toEqual(['finding.status', 'finding.open']);
    expect(events[0]).toMatchObject({ to: 'FALSE_POSITIVE', note: 'the key is of a robot' });
  });

  it('closes what a later run of the new engine does not see any more', async () => {
    const run = await client.import(recordedAsff.slice(1), { scan_run_id: 'without-det-1' });
    expect(run.counts).toMatchObject({ new: 0, resolved: 0 });
    // suppressed and gone: lifting the suppression resolves it
    const { finding_id } = named(await findings(), 'det-1');
    const lifted = await client.call(`/api/v1/views/finding/cdr/${finding_id}/status`, { method: 'PATCH', body: { status: 'OPEN' } });
    expect(lifted).toMatchObject({ status: 200, body: { status: 'RESOLVED', previous_status: 'SUPPRESSED' } });
    expect((await client.import(recordedAsff.slice(2), { scan_run_id: 'without-det-2' })).counts).toMatchObject({ resolved: 1 });
  });

  it('is left alone by a second start', async () => {
    const items = await findings();
    await world.close();
    await server.end('SIGTERM');
    server = await startOver(folder);
    world = await worldOf(folder, server);
    client = await (await world.existing(TENANT)).as('analyst');
    expect(await findings()).toEqual(items);
  });
});
