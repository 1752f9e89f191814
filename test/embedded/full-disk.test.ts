import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { openEmbeddedStore } from '../../embedded/index.js';
import { needing } from '../support/shared.js';

const MiB = 1024 * 1024;

// A disk of its own, a small one in memory.
const disk = mkdtempSync(join(tmpdir(), 'palisade-store-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', disk]).status === 0;
afterAll(() => {
  // also where a store that a failure left behind has files open on it
  if (isMounted) spawnSync('umount', ['--lazy', disk]);
  rmdirSync(disk);
});

/** Leaves so many bytes of the disk free. */
function leave(bytes: number): void {
  const { bsize, bavail } = statfsSync(disk);
  writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
}

needing(isMounted || undefined).it(
  'a disk that runs full within a write stops writes and nothing else, for as long as it is full (needs the right to mount)',
  async () => {
    const dir = join(disk, 'store');
    const store = await openEmbeddedStore({ dir });
    const client = await new MongoClient(store.uri).connect();
    const rows = client.db('test').collection<{ _id: string; text: string }>('rows');
    const text = 'x'.repeat(MiB);
    const kept: string[] = [];
    const keep = async (_id: string) => {
      await rows.insertOne({ _id, text });
      kept.push(_id);
    };
    for (const turn of [1, 2, 3]) {
      await keep(`before ${turn}`);
      const page = rows.find({}, { batchSize: 1 });
      await page.next();
      leave(30 * MiB);
      const large = Array.from({ length: 40 }, (_, i) => ({ _id: `large ${turn} ${i}`, text }));
      const together = client.withSession((session) => session.withTransaction(() => rows.insertMany(large, { session })));
      await expect(together).rejects.toMatchObject({ code: 14_031 });
      await expect(rows.insertOne({ _id: 'refused', text })).rejects.toMatchObject({ code: 14_031 });
      expect((await rows.distinct('_id')).sort()).toEqual([...kept].sort());
      rmSync(join(disk, 'filler'));
      await Promise.all([keep(`after ${turn}`), rows.distinct('_id'), rows.countDocuments()]);
      await page.close();
    }
    await client.close();
    await store.close();
    const again = await openEmbeddedStore({ dir });
    const reader = await new MongoClient(again.uri).connect();
    expect((await reader.db('test').collection<{ _id: string }>('rows').distinct('_id')).sort()).toEqual([...kept].sort());
    await reader.close();
    await again.close();
  },
);
