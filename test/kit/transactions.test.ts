import { randomUUID } from 'node:crypto';
import { mongo } from 'mongoose';
import { defineCollection } from '../../kit/store/collection.js';
import { number } from '../../kit/store/fields.js';
import { Database } from '../../kit/store/database.js';

const rows = defineCollection('rows', {
  tries: number,
});

const indexed = defineCollection('indexed', { tries: number }, [{ key: { tenant_id: 1, tries: 1 } }]);

let database: Database;
beforeAll(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `transactions-${randomUUID().slice(0, 8)}`, [rows]);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

/** Fails the first try of a transaction, after its write, with an error of the server. */
async function failingOnce(id: string, error: Error): Promise<number> {
  let tries = 0;
  await database.transaction(async (transaction) => {
    tries += 1;
    await database.tenant('t1').collection(rows).insert({ _id: id, tenant_id: 't1', tries }, { transaction });
    if (tries === 1) throw error;
  });
  return tries;
}

describe('a transaction', () => {
  it.each([
    ['a deadlock', { message: 'deadlock detected' }],
    ['a write conflict', { message: 'conflict', code: 112 }],
  ])('starts again after %s that the server does not call transient, and leaves nothing of the first try', async (name, description) => {
    expect(await failingOnce(name, new mongo.MongoServerError(description))).toBe(2);
    expect(await database.tenant('t1').collection(rows).findOne({ _id: name })).toMatchObject({ tries: 2 });
  });

  it('does not start again after any other error', async () => {
    await expect(failingOnce('other', new mongo.MongoServerError({ message: 'no', code: 2 }))).rejects.toThrow('no');
    expect(await database.tenant('t1').collection(rows).findOne({ _id: 'other' })).toBeNull();
  });
});

describe('opening a database', () => {
  const answerOnce = (description: { message: string; code?: number }) =>
    jest.spyOn(mongo.Collection.prototype, 'createIndexes').mockRejectedValueOnce(new mongo.MongoServerError(description));
  const open = () => Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `opened-${randomUUID().slice(0, 8)}`, [indexed]);
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['a deadlock', { message: 'deadlock detected' }],
    ['a write conflict', { message: 'conflict', code: 112 }],
  ])('goes on after %s with what other processes write', async (_name, description) => {
    const made = answerOnce(description);
    const opened = await open();
    expect(made).toHaveBeenCalledTimes(2);
    await opened.drop();
    await opened.close();
  });

  it('ends with any other error of the server', async () => {
    answerOnce({ message: 'no', code: 13 });
    await expect(open()).rejects.toThrow('no');
  });
});
