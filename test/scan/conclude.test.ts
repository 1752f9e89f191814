import { bucket, ocsf } from '../support/reports.js';
import { derivations } from '../../kit/engine/kept-rows.js';
import { openWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it('a report that changes no finding concludes nothing, and one behind a change of a person does', async () => {
  const tenant = await world.tenant();
  const client = await tenant.as('analyst');
  const report = ocsf([{ rule: 'r', resource: bucket('conclude'), account: '999988887777' }]);
  /** How often the groups of the overview were counted: each conclusion does it once. */
  const conclusions = async () => {
    const _id = `${tenant.tenant._id}|cnapp_groups`;
    return (await world.database.tenant(tenant.tenant._id).collection(derivations).findOne({ _id }))?.no ?? 0;
  };
  const seen: number[] = [];
  const see = async () => {
    await client.import(report);
    seen.push(await conclusions());
  };
  await see();
  await see();
  const { body } = await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings');
  const path = `/api/v1/views/finding/check/${body.items[0]!.finding_id}/status`;
  expect((await client.call(path, { method: 'PATCH', body: { status: 'FALSE_POSITIVE', note: 'A test of ours' } })).status).toBe(200);
  await see();
  await see();
  expect(seen).toEqual([1, 1, 2, 2]);
});
