import { randomUUID } from 'node:crypto';
import type { EngineContext } from '../../kit/engine/context.js';
import { deriveLatest, derivations } from '../../kit/engine/kept-rows.js';
import { defineCollection } from '../../kit/store/collection.js';
import { Database } from '../../kit/store/database.js';
import { text } from '../../kit/store/fields.js';

const derived = defineCollection('derived', { by: text }, [{ key: { tenant_id: 1 } }]);

let database: Database;
beforeAll(async () => {
  const definitions = [derivations, derived] as never[];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `kept_${randomUUID().slice(0, 8)}`, definitions);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

function tenantOf(tenant_id: string) {
  const tenant = database.tenant(tenant_id);
  const context = {
    auth: { tenant_id },
    transaction: (work: never) => database.transaction(work),
    collection: (of: never) => tenant.collection(of),
  } as unknown as EngineContext;
  const rows = tenant.collection(derived);
  const add = (by: string) => rows.insert({ _id: `${tenant_id}|${by}`, tenant_id, by } as never);
  return { context, add, told: async () => (await rows.find({})).map(({ by }) => by) };
}

it('of two derivations the one that began later wins: the other writes nothing more, and ends without an error', async () => {
  const { context, add, told } = tenantOf('one');
  let wentOn = false;
  await deriveLatest(context, 'thing', async (write) => {
    await write(() => add('earlier'));
    await deriveLatest(context, 'thing', (later) => later(() => add('later')));
    await deriveLatest(context, 'another thing', (other) => other(() => add('other')));
    await write(() => add('earlier again'));
    wentOn = true;
  });
  expect(wentOn).toBe(false);
  expect((await told()).sort()).toEqual(['earlier', 'later', 'other']);
});

it('of many that begin at once in a tenant that has none yet, one at most writes at the end, and none fails', async () => {
  const { context, add, told } = tenantOf('two');
  let begun = 0;
  const all = Array.from({ length: 8 }, (_, n) =>
    deriveLatest(context, 'thing', async (write) => {
      begun += 1;
      for (const end = Date.now() + 60_000; begun < 8 && Date.now() < end;) await new Promise((resolve) => setTimeout(resolve, 5));
      await write(() => add(String(n)));
    }),
  );
  await Promise.all(all);
  expect(await told()).toHaveLength(1);
});

it('upserts of one row at once all find it, whichever made it', async () => {
  const { context } = tenantOf('three');
  const counts = context.collection(derivations);
  const rounds = Array.from({ length: 100 }, (_, n) => `three|${n}`);
  for (const _id of rounds)
    await Promise.all([
      ...Array.from({ length: 4 }, () => counts.findAndUpdate({ _id }, { $inc: { no: 1 } }, { upsert: true })),
      ...Array.from({ length: 4 }, () => counts.update({ _id }, { $inc: { no: 1 } }, { upsert: true })),
    ]);
  expect((await counts.find({ _id: { $in: rounds } })).map(({ no }) => no)).toEqual(rounds.map(() => 8));
});
