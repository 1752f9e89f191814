import { FINDING_STATUSES } from '../../schema/model.js';
import { openWorld } from '../support/world.js';
import { ALL, feedInRuns, mixture, rowsOf, setStatus } from './list-model.js';
test.each([1,2,3,4,5])('x%s', async () => {
  const world = await openWorld();
  const client = await (await world.tenant()).as('analyst');
  await feedInRuns(client, 'check', mixture(120, 7));
  const rows = await rowsOf(client, 'check', ALL);
  const moves = await Promise.all(rows.map(async (r, n) => ({ r, to: FINDING_STATUSES[1 + n % 4]!, a: await setStatus(client, 'check', r.finding_id, FINDING_STATUSES[1 + n % 4]!) })));
  const bad = moves.filter((m) => m.a.status !== 200);
  const after = new Map((await rowsOf(client, 'check', ALL)).map((r) => [r.finding_id, r]));
  console.log(bad.length, bad.map((m) => [m.r.status, m.to, m.a.text, after.get(m.r.finding_id)!.status, after.get(m.r.finding_id)!.version]));
  await world.close();
}, 60000);
