import { FINDING_STATUSES } from '../../schema/model.js';
import { openWorld } from '../support/world.js';
import { findingEngines } from './registry-facts.js';
import { ALL, feedInRuns, mixture, rowsOf, setStatus } from './list-model.js';
test.each([1,2,3])('x%s', async () => {
  const world = await openWorld();
  await Promise.all(findingEngines.map(async ({ viewSegment, prefix }) => {
    const client = await (await world.tenant()).as('analyst');
    await feedInRuns(client, viewSegment, mixture(120, 7));
    const rows = await rowsOf(client, prefix, ALL);
    const start = performance.now();
    const moves = await Promise.all(rows.slice(0, Number(process.env.N ?? 60)).map(async (r, n) => ({ r, to: FINDING_STATUSES[1 + n % 4]!, a: await setStatus(client, viewSegment, r.finding_id, FINDING_STATUSES[1 + n % 4]!) })));
    const bad = moves.filter((m) => m.a.status !== 200);
    const after = new Map((await rowsOf(client, prefix, ALL)).map((r) => [r.finding_id, r]));
    console.log(viewSegment, Math.round(performance.now() - start), bad.length, bad.slice(0, 5).map((m) => [m.r.status, m.to, m.a.text, after.get(m.r.finding_id)!.status, after.get(m.r.finding_id)!.version]));
  }));
  await world.close();
}, 60000);
