import mongoose from 'mongoose';
import { Long, MongoClient, type ClientSession, type Collection } from 'mongodb';
import { codeOf, conforms, ids, type World } from './world.js';

export function transactions(world: World): void {
  async function inTransaction(run: (session: ClientSession) => Promise<void>): Promise<void> {
    const session = world.client.startSession();
    try {
      session.startTransaction();
      await run(session);
    } finally {
      if (session.inTransaction()) await session.abortTransaction();
      await session.endSession();
    }
  }
  /** A client whose only session is new, so that its transaction numbers are the test's own. */
  async function withOwnClient(run: (client: MongoClient) => Promise<void>): Promise<void> {
    const client = await new MongoClient(world.uri, { maxPoolSize: 1 }).connect();
    await run(client).finally(() => client.close());
  }
  const all = async (c: Collection, session?: ClientSession): Promise<unknown[]> =>
    ids(await c.find({}, { session }).sort({ _id: 1 }).toArray());

  describe('transactions', () => {
    conforms('nobody else sees uncommitted writes, by scan, index or count', async () => {
      const c = await world.collection([
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
        { _id: 3, a: 3 },
      ]);
      await c.createIndex({ a: 1 });
      await inTransaction(async (session) => {
        await c.insertOne({ _id: 4 as never, a: 1 }, { session });
        await c.deleteOne({ _id: 2 as never }, { session });
        await c.updateOne({ _id: 3 as never }, { $set: { a: 1 } }, { session });
        expect(await all(c)).toEqual([1, 2, 3]);
        expect(await c.countDocuments({ a: 1 })).toBe(1);
        expect(
          ids(
            await c
              .find({ a: { $gte: 2 } })
              .sort({ a: 1 })
              .toArray(),
          ),
        ).toEqual([2, 3]);
        await session.commitTransaction();
      });
      expect(await all(c)).toEqual([1, 3, 4]);
      expect(await c.countDocuments({ a: 1 })).toBe(3);
    });

    conforms('a transaction sees its own writes everywhere', async () => {
      const c = await world.collection([
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
        { _id: 3, a: 3 },
      ]);
      await c.createIndex({ a: 1 });
      await inTransaction(async (session) => {
        await c.insertOne({ _id: 4 as never, a: 2.5 }, { session });
        await c.deleteOne({ _id: 1 as never }, { session });
        await c.updateOne({ _id: 2 as never }, { $set: { a: 9 } }, { session });
        expect(ids(await c.find({}, { session }).sort({ a: 1 }).toArray())).toEqual([4, 3, 2]);
        expect(
          ids(
            await c
              .find({ a: { $gt: 2 } }, { session })
              .sort({ a: -1 })
              .limit(2)
              .toArray(),
          ),
        ).toEqual([2, 3]);
        expect(await c.countDocuments({ a: { $gt: 2 } }, { session })).toBe(3);
        expect(await c.aggregate([{ $group: { _id: null, s: { $sum: '$a' } } }], { session }).toArray()).toEqual([{ _id: null, s: 14.5 }]);
        expect(await c.findOneAndUpdate({ a: 9 }, { $inc: { a: 1 } }, { session, returnDocument: 'after' })).toEqual({ _id: 2, a: 10 });
        expect(await c.distinct('a', {}, { session })).toEqual(expect.arrayContaining([2.5, 3, 10]));
        expect((await c.deleteMany({ a: { $gte: 3 } }, { session })).deletedCount).toBe(2);
        expect(await all(c, session)).toEqual([4]);
        await session.commitTransaction();
      });
      expect(await all(c)).toEqual([4]);
    });

    conforms('a committed change is found by every index of a field that it sets, changes, nests or takes away', async () => {
      const c = await world.collection([{ _id: 1, a: 1, b: { c: 1 }, d: 1, same: 1 }]);
      for (const key of ['a', 'b.c', 'd', 'e', 'same']) await c.createIndex({ [key]: 1, _id: 1 });
      await inTransaction(async (session) => {
        await c.updateOne({ _id: 1 as never }, { $set: { a: 2 } }, { session });
        await c.updateOne({ _id: 1 as never }, { $set: { 'b.c': 2, e: 2 }, $unset: { d: '' } }, { session });
        await session.commitTransaction();
      });
      for (const filter of [{ a: 2 }, { 'b.c': 2 }, { d: null }, { e: 2 }, { same: 1 }])
        expect([filter, await c.countDocuments(filter)]).toEqual([filter, 1]);
      for (const filter of [{ a: 1 }, { 'b.c': 1 }, { d: 1 }, { e: null }])
        expect([filter, await c.countDocuments(filter)]).toEqual([filter, 0]);
    });

    conforms('an abort undoes everything', async () => {
      const c = await world.collection([{ _id: 1, a: 1 }]);
      await inTransaction(async (session) => {
        await c.insertOne({ _id: 2 as never }, { session });
        await c.updateOne({ _id: 1 as never }, { $set: { a: 2 } }, { session });
        await session.abortTransaction();
      });
      expect(await c.find().toArray()).toEqual([{ _id: 1, a: 1 }]);
      expect(await codeOf(c.insertOne({ _id: 2 as never }))).toBe('no error');
    });

    conforms('the second writer of a document gets a write conflict', async () => {
      const c = await world.collection([{ _id: 1, n: 0 }]);
      await inTransaction(async (one) => {
        await c.updateOne({ _id: 1 as never }, { $inc: { n: 1 } }, { session: one });
        await inTransaction(async (two) => {
          const error = await c.updateOne({ _id: 1 as never }, { $inc: { n: 1 } }, { session: two }).catch((e: unknown) => e);
          expect(error).toMatchObject({ code: 112 });
          expect((error as { hasErrorLabel(l: string): boolean }).hasErrorLabel('TransientTransactionError')).toBe(true);
        });
        await one.commitTransaction();
      });
      expect(await c.findOne()).toEqual({ _id: 1, n: 1 });
    });

    conforms('a document that changed after the transaction began conflicts', async () => {
      const c = await world.collection([{ _id: 1, n: 0 }]);
      await inTransaction(async (session) => {
        await c.findOne({ _id: 1 as never }, { session });
        await c.updateOne({ _id: 1 as never }, { $set: { n: 5 } });
        expect(await codeOf(c.updateOne({ _id: 1 as never }, { $inc: { n: 1 } }, { session }))).toBe(112);
      });
      expect(await c.findOne()).toEqual({ _id: 1, n: 5 });
    });

    conforms('a write outside waits for the transaction to end', async () => {
      const c = await world.collection([{ _id: 1, n: 0 }]);
      let waiting: Promise<unknown> = Promise.resolve();
      let done = false;
      await inTransaction(async (session) => {
        await c.updateOne({ _id: 1 as never }, { $set: { n: 10 } }, { session });
        waiting = c.updateOne({ _id: 1 as never }, { $inc: { n: 1 } }).then(() => (done = true));
        await new Promise((r) => setTimeout(r, 150));
        expect(done).toBe(false);
        await session.commitTransaction();
      });
      await waiting;
      expect(await c.findOne()).toEqual({ _id: 1, n: 11 });
    });

    conforms('unique values are kept between transactions', async () => {
      const c = await world.collection([{ _id: 1, k: 'a' }]);
      await c.createIndex({ k: 1 }, { unique: true });
      await inTransaction(async (session) => {
        await c.insertOne({ _id: 2 as never, k: 'b' }, { session });
        expect(await codeOf(c.insertOne({ _id: 3 as never, k: 'a' }, { session }))).toBe(11000);
      });
      await inTransaction(async (session) => {
        await c.deleteOne({ k: 'a' }, { session });
        await c.insertOne({ _id: 4 as never, k: 'a' }, { session });
        await session.commitTransaction();
      });
      expect(await c.find().toArray()).toEqual([{ _id: 4, k: 'a' }]);
    });

    conforms('withTransaction retries until concurrent increments add up', async () => {
      const c = await world.collection([{ _id: 1, n: 0 }]);
      await Promise.all(
        Array.from({ length: 8 }, () =>
          world.client.withSession((session) =>
            session.withTransaction(async () => {
              const found = await c.findOne({ _id: 1 as never }, { session });
              await c.updateOne({ _id: 1 as never }, { $set: { n: (found!['n'] as number) + 1 } }, { session });
            }),
          ),
        ),
      );
      expect(await c.findOne()).toEqual({ _id: 1, n: 8 });
    });

    conforms('mongoose transactions commit and roll back', async () => {
      const connection = await mongoose.createConnection(world.uri, { dbName: world.db.databaseName }).asPromise();
      const Item = connection.model(
        'Item',
        new mongoose.Schema({ name: { type: String, unique: true }, n: Number }, { optimisticConcurrency: true }),
      );
      await Item.init();
      await connection.transaction(async (session) => {
        await Item.create([{ name: 'a', n: 1 }], { session });
      });
      await expect(
        connection.transaction(async (session) => {
          await Item.updateOne({ name: 'a' }, { n: 2 }, { session });
          throw new Error('stop');
        }),
      ).rejects.toThrow('stop');
      expect((await Item.findOne({ name: 'a' }).lean())!.n).toBe(1);
      const [first, second] = [await Item.findOne({ name: 'a' }), await Item.findOne({ name: 'a' })];
      first!.n = 3;
      second!.n = 4;
      await first!.save();
      await expect(second!.save()).rejects.toThrow(mongoose.Error.VersionError);
      await connection.close();
    });

    conforms('commit and abort of no transaction are errors', async () => {
      await withOwnClient(async (client) => {
        const command = (name: string): Promise<unknown> =>
          client.db('admin').command({ [name]: 1, txnNumber: Long.fromNumber(5), autocommit: false });
        expect(await codeOf(command('abortTransaction'))).toBe(251);
        expect(await codeOf(command('commitTransaction'))).toBe(251);
      });
    });
  });

  describe('retryable writes', () => {
    conforms('a repeated statement is applied once', async () => {
      const c = await world.collection([{ _id: 1, n: 0 }]);
      await withOwnClient(async (client) => {
        const db = client.db(world.db.databaseName);
        const command = (txnNumber: number): Promise<unknown> =>
          db.command({
            update: c.collectionName,
            updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }],
            txnNumber: Long.fromNumber(txnNumber),
          });
        expect(await command(1)).toMatchObject({ n: 1, nModified: 1 });
        expect(await command(1)).toMatchObject({ n: 1, nModified: 1 });
        expect(await c.findOne()).toEqual({ _id: 1, n: 1 });
        await command(2);
        expect(await codeOf(command(1))).toBe(225);
      });
      expect(await c.findOne()).toEqual({ _id: 1, n: 2 });
    });
  });
}
