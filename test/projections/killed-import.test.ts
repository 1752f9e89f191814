import { assets } from '../../subgraphs/di/records.js';
import { engines } from '../../subgraphs/index.js';
import { jobs } from '../../kit/work/jobs.js';
import type { TestProcess } from '../support/process.js';
import { openProcesses, type OwnWorld } from '../support/own-world.js';
import { type Client } from '../support/world.js';
import { stateOf, type Attributes } from './terraform-state.js';

const KEYS = 1_200;

const state = stateOf(
  'aws_kms_key',
  Array.from({ length: KEYS }, (_, n): Attributes => ({ id: `k${n}`, enable_key_rotation: n % 3 === 0, is_enabled: n % 5 > 0 })),
);

let world: OwnWorld<TestProcess>;
let undisturbed: Client;
beforeAll(async () => {
  world = await openProcesses();
  undisturbed = await (await world.tenant()).as('analyst');
  expect(await undisturbed.import(state)).toMatchObject({ state: 'COMPLETED' });
});
afterAll(() => world.close());

interface Page {
  items: Record<string, unknown>[];
  total: number;
}
/** The rows of a tenant as they are listed, without when they were seen. */
async function listed(client: Client): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let page = 1; items.length === (page - 1) * 200; page++) {
    const { body } = await client.call<Page>(`/api/v1/encryption/keys?page_size=200&page=${page}`);
    items.push(...body.items);
  }
  return items.map(({ first_seen_at: _f, last_seen_at: _l, ...row }) => row);
}

// the shares of the rows that are there when the process is killed; a job whose workers end three times is given up
it.each([
  ['at its beginning and in the middle', [0, 0.5]],
  ['early and near its end', [0.25, 0.8]],
])('an import whose process is killed %s leaves the rows of an undisturbed one', async (_, moments) => {
  const { database } = world;
  const tenant = await world.tenant();
  const client = await tenant.as('analyst');
  const mine = database.tenant(tenant.tenant._id);
  const rows = mine.collection(engines.flatMap(({ projections }) => projections).find(({ name }) => name === 'encryption_keys')!.rows);
  const { status, body } = await world
    .at(client, world.servers.length - 1)
    .call<{ scan_run_id: string }>('/api/v1/scans/imports', { raw: JSON.stringify(state) });
  expect(status).toBe(202);
  const counts: number[] = [];
  for (const moment of moments) {
    while ((await rows.count({})) <= moment * KEYS) await new Promise((resolve) => setTimeout(resolve, 10));
    await world.servers.at(-1)!.end('SIGKILL');
    counts.push(await rows.count({}));
    expect(await mine.collection(assets).count({})).toBe(counts.at(-1));
    // as if the time of the killed worker's lease had gone by
    await database.system(jobs).updateMany({ leased_by: { $ne: null } }, { $set: { leased_until: new Date(0) } });
    await world.start();
  }
  expect(counts[0]).toBeLessThan(KEYS);
  const server = world.servers.length - 1;
  expect(await world.at(client, server).finished(body.scan_run_id)).toMatchObject({ state: 'COMPLETED' });
  const found = await listed(world.at(client, server));
  expect(found).toHaveLength(KEYS);
  expect(found).toEqual(await listed(world.at(undisturbed, server)));
});
