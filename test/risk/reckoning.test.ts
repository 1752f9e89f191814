import { randomUUID } from 'node:crypto';
import { derivations } from '../../kit/engine/kept-rows.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { ReadAttackPath } from '../../kit/read/attack-paths.js';
import { Database } from '../../kit/store/database.js';
import { crownJewels } from '../../subgraphs/risk/jewels/records.js';
import { reckonRisk } from '../../subgraphs/risk/reckoning/reckon.js';
import { riskResults, riskScenarios } from '../../subgraphs/risk/reckoning/records.js';
import { riskSettings } from '../../subgraphs/risk/settings/records.js';

let database: Database;
beforeAll(async () => {
  const definitions = [crownJewels, derivations, riskResults, riskScenarios, riskSettings] as never[];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `risk_${randomUUID().slice(0, 8)}`, definitions);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const node = (uid: string, kind: 'asset' | 'internet') => ({
  ...{ uid, kind, hold: null, type: 'a_type', name: null, provider: 'aws', account_id: null },
});
const path = (uid: string): ReadAttackPath => ({
  ...{ finding_id: uid, entry: 'internet', resource_uid: uid, pattern: 'internet', likelihood: 0.5, engines: [] },
  jewel: { tier: 'high', origin: 'set', reason: 'r' },
  nodes: [node('internet', 'internet'), node(uid, 'asset')],
  steps: [{ kind: 'internet', probability: 0.5, conditions: [] }],
});

it('a reckoning that dies between its writes leaves nothing for current that is not', async () => {
  const tenant = database.tenant('t');
  let paths = [path('one')];
  /** @param failing where it dies, by the name of the collection */
  const contextOf = (failing?: string) =>
    ({
      auth: { tenant_id: 't', permissions: [] },
      signal: new AbortController().signal,
      services: {
        ...{ database, findingEngines: [] },
        caller: { engines: ['attack-path'], call: () => Promise.resolve({ data: { result: { items: paths, next: null } } }) },
      },
      transaction: (work: never) => database.transaction(work),
      collection: (of: { name: string }) => {
        const rows = tenant.collection(of as never);
        if (of.name !== failing) return rows;
        return Object.assign(Object.create(rows as object) as object, { bulkUpdate: () => Promise.reject(new Error('killed')) });
      },
    }) as unknown as EngineContext;
  const reckon = (failing?: string) => reckonRisk(contextOf(failing), { scan_run_id: 'r', at: new Date() } as never);
  const told = async () => [...new Set((await tenant.collection(riskScenarios).find({})).map(({ resource_uid }) => resource_uid))];

  await reckon();
  expect(await told()).toEqual(['one']);
  for (const failing of [riskResults.name, riskScenarios.name]) {
    paths = [path(`after ${failing}`)];
    await expect(reckon(failing)).rejects.toThrow('killed');
    await reckon();
    expect(await told()).toEqual([`after ${failing}`]);
  }
});
