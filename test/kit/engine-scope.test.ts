import type { Update } from '../../kit/store/query.js';
import { randomUUID } from 'node:crypto';
import { Database } from '../../kit/store/database.js';
import { defineCollection, defineEngineCollection, type RowOf } from '../../kit/store/collection.js';
import { optional, text } from '../../kit/store/fields.js';

const shared = defineEngineCollection('shared', { word: text, other: optional(text) }, [{ key: { tenant_id: 1, engine: 1, word: 1 } }]);
const plain = defineCollection('plain', { word: text });

let database: Database;
beforeAll(async () => {
  const uri = process.env['PALISADE_TEST_MONGODB_URI']!;
  database = await Database.open(uri, `scope_${randomUUID().slice(0, 8)}`, [shared, plain]);
  for (const [tenant, engine] of [
    ['t1', 'check'],
    ['t1', 'iam'],
    ['t1', 'datasec'],
    ['t2', 'check'],
  ] as const)
    await database
      .tenant(tenant)
      .engine(engine)
      .collection(shared)
      .insert({ _id: `${tenant}|${engine}`, tenant_id: tenant, engine, word: `${tenant} ${engine}` });
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const words = (rows: RowOf<typeof shared>[]) => rows.map(({ word }) => word).sort();
const own = (tenant = 't1', engine = 'check') => database.tenant(tenant).engine(engine).collection(shared);

describe('a collection that engines share', () => {
  it('shows an engine its own rows of the tenant, whatever the filter names', async () => {
    expect(words(await own().find({}))).toEqual(['t1 check']);
    expect(words(await own().find({ engine: 'iam' }))).toEqual(['t1 check']);
    expect(words(await own().find({ engine: { $in: ['iam', 'datasec'] }, tenant_id: 't2' }))).toEqual(['t1 check']);
    expect(words(await own().find({ $or: [{ engine: 'iam' }, { word: /./ }] }))).toEqual(['t1 check']);
    expect(await own().count({ engine: 'iam' })).toBe(1);
    expect(await own().distinct('engine', { engine: 'iam' })).toEqual(['check']);
    expect(await own().aggregate([{ $group: { _id: '$engine' } }])).toEqual([{ _id: 'check' }]);
  });

  it('takes rows under the bound engine, whatever they name', async () => {
    await own('t3').insert({ _id: 'foreign', tenant_id: 't1', engine: 'iam', word: 'foreign' });
    expect(await database.system(shared).findOne({ _id: 'foreign' })).toMatchObject({ tenant_id: 't3', engine: 'check' });
    await own('t3').update({ _id: 'made', engine: 'iam' }, { $set: { word: 'made' } }, { upsert: true });
    expect(await database.system(shared).findOne({ _id: 'made' })).toMatchObject({ tenant_id: 't3', engine: 'check' });
  });

  const FORBIDDEN: [string, unknown][] = [
    ['sets the engine', { $set: { engine: 'iam' } }],
    ['sets the tenant', { $set: { tenant_id: 't2' } }],
    ['sets the engine of a row that it makes', { $setOnInsert: { engine: 'iam' } }],
    ['removes the engine', { $unset: { engine: 1 } }],
    ['renames the engine', { $rename: { engine: 'other' } }],
    ['renames a field to the engine', { $rename: { word: 'engine' } }],
    ['renames a field to the tenant', { $rename: { word: 'tenant_id' } }],
    ['sets a part of the engine', { $set: { 'engine.name': 'iam' } }],
    ['computes the engine', [{ $set: { engine: { $concat: ['i', 'am'] } } }]],
    ['computes anything', [{ $set: { word: 'x' } }]],
    ['replaces the row', { engine: 'iam', word: 'x' }],
  ];

  it.each(FORBIDDEN)('refuses an update that %s', async (_what, update) => {
    const change = update as Update;
    await expect(own().update({}, change)).rejects.toThrow('must not');
    await expect(own().updateMany({}, change)).rejects.toThrow('must not');
    await expect(own().findAndUpdate({}, change)).rejects.toThrow('must not');
    await expect(own().bulkUpdate([{ _id: 't1|check', update: change }])).rejects.toThrow('must not');
    expect(await own().findOne({ _id: 't1|check' })).toMatchObject({ tenant_id: 't1', engine: 'check', word: 't1 check' });
  });

  it('cannot be reached without an engine, nor with an empty one', () => {
    expect(() => database.tenant('t1').collection(shared)).toThrow('is kept by engine');
    expect(() => database.tenant('t1').engine('').collection(shared)).toThrow('non-empty');
    expect(() => database.tenant('').engine('check').collection(shared)).toThrow('non-empty');
    expect(() => database.tenant('t1').engines(['check', '']).collection(shared)).toThrow('non-empty');
    expect(() => database.tenant('').engines(['check']).collection(shared)).toThrow('non-empty');
    // @ts-expect-error a collection without engines has no rows of one
    void (() => database.tenant('t1').engine('check').collection(plain));
  });

  it('has indexes that begin with tenant and engine only', () => {
    expect(() => defineEngineCollection('wrong', {}, [{ key: { tenant_id: 1, word: 1 } }])).toThrow('must start with tenant_id, engine');
  });
});

describe('what spans engines', () => {
  const reader = (...engines: string[]) => database.tenant('t1').engines(engines).collection(shared);

  it('reads the engines that it is given, and a filter narrows but never widens them', async () => {
    expect(words(await reader('check', 'iam').find({}))).toEqual(['t1 check', 't1 iam']);
    expect(words(await reader('check', 'iam').find({ engine: 'iam' }))).toEqual(['t1 iam']);
    expect(words(await reader('check', 'iam').find({ engine: { $in: ['iam', 'datasec'] } }))).toEqual(['t1 iam']);
    expect(await reader('check', 'iam').find({ engine: 'datasec' })).toEqual([]);
    expect(await reader('check', 'iam').find({ tenant_id: 't2' })).toEqual([]);
    expect(words(await reader('check').find({ $or: [{ engine: 'datasec' }, { word: /./ }] }))).toEqual(['t1 check']);
    expect(await reader('check').count({ engine: 'iam' })).toBe(0);
    expect(await reader('check', 'iam').distinct('engine', {})).toEqual(['check', 'iam']);
    expect(await reader('iam').aggregate([{ $group: { _id: '$engine' } }])).toEqual([{ _id: 'iam' }]);
    expect(() => reader('iam').aggregate([{ $unionWith: 'plain' }])).toThrow('not allowed');
  });

  it('reads nothing where the caller may read no engine', async () => {
    expect(await reader().find({})).toEqual([]);
    expect(await reader().count({ engine: 'check' })).toBe(0);
  });

  it('writes nothing', () => {
    const rows = reader('check');
    for (const write of ['insert', 'insertMany', 'update', 'updateMany', 'findAndUpdate', 'bulkUpdate', 'remove', 'createIndexes'])
      expect((rows as unknown as Record<string, unknown>)[write]).toBeUndefined();
    // @ts-expect-error reading only
    void (() => rows.insert({ _id: 'x', word: 'x' }));
    // @ts-expect-error reading only
    void (() => rows.update({}, {}));
  });
});
