import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditLog, type AuditRow } from '../../kit/audit/audit.js';
import { scanEntries } from '../../kit/audit/entries.js';
import type { AuditInput } from '../../kit/audit/entry.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { toLine } from '../../subgraphs/events/siem/lines.js';
import { bucket, ocsf } from '../support/reports.js';
import { runCommand } from '../support/process.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

jest.setTimeout(600_000);

let world: World;
let tenant: TestTenant;
let id: string;
let admin: Client;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  tenant = await world.tenant();
  id = tenant.tenant._id;
  admin = await tenant.as('tenant_admin');
});
afterAll(() => world.close());

const DAY = 86_400_000;
const START = Date.parse('2021-01-01T00:00:00.000Z');
const log = () => world.auth.parts.audit;
const rows = () => world.database.tenant(id).collection(auditLog);
const edit = ({ _id }: AuditRow, change: Partial<AuditRow>) => rows().bulkUpdate([{ _id, update: { $set: change } }]);
const named = (numbers: readonly number[]) => numbers.map((n) => `finding:check/${n}`);
const moves = (action: 'finding.open' | 'finding.resolve', numbers: readonly number[]): AuditInput => ({
  action,
  actor_email: 'system',
  target: named(numbers),
  result: 'success',
  detail: { from: null, to: 'OPEN', scan_run_id: 'run' },
});
const one = (n: number): AuditInput => ({
  action: 'finding.status',
  actor_email: 'ann@test.example',
  target: `finding:check/${n}`,
  result: 'success',
});
const append = (entries: readonly AuditInput[], day = 0) =>
  world.database.transaction((transaction) => log().append(transaction, id, new Date(START + day * DAY), entries));
const exported = async () => {
  const lines: string[] = [];
  for await (const entry of scanEntries(world.database.tenant(id), 0)) lines.push(toLine('ndjson', entry));
  return lines;
};
const command = (...args: string[]) =>
  runCommand(['audit', 'verify', '--tenant', id, ...args], {
    MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI']!,
    MONGODB_DB: process.env['PALISADE_TEST_DB']!,
    PALISADE_SECRET: process.env['PALISADE_TEST_SECRET']!,
  });

interface Listed {
  items: { seq: number; action: string; target: string | null; timestamp: string }[];
  total: number;
  has_more: boolean;
}

describe('moves that share a row', () => {
  it('of a run are one row, and an entry each in the list and the timeline', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    await admin.import(ocsf(names.map((name) => ({ rule: name, resource: bucket(name) }))), { scan_run_id: 'run' });
    const opened = await rows().find({ action: 'finding.open' });
    expect(opened.map(({ seq, first_seq, target }) => [seq - first_seq!, target!.length])).toEqual([[4, 5]]);
    const { items, total } = (await admin.call<Listed>('/api/v1/audit-logs?action=finding.open')).body;
    expect([total, items.map(({ seq }) => opened[0]!.seq - seq)]).toEqual([5, [0, 1, 2, 3, 4]]);
    for (const { seq, target } of items) {
      const timeline = await admin.call<{ items: object[]; total: number }>(
        `/api/v1/views/finding/check/${target!.slice('finding:check/'.length)}/timeline`,
      );
      expect(timeline.body).toMatchObject({ total: 1, items: [{ seq, action: 'finding.open', to: 'OPEN', scan_run_id: 'run' }] });
    }
    expect(await log().verify(id)).toMatchObject({ broken: null });
  });

  it('are 200 at most', async () => {
    const records = Array.from({ length: 450 }, (_, n) => ({ rule: `rule-${n}`, resource: bucket('one') }));
    await admin.import(ocsf(records), { scan_run_id: 'run' });
    const opened = await rows().find({ action: 'finding.open' }, { sort: { seq: 1 } });
    expect(opened.map(({ target }) => target!.length)).toEqual([200, 200, 50]);
    expect(await log().verify(id)).toMatchObject({ broken: null });
  });

  it('are listed, filtered, counted and paged as entries of their own', async () => {
    const batches: AuditInput[][] = [
      [moves('finding.open', [1, 2, 3, 4, 5])],
      [one(1)],
      [moves('finding.open', [6, 7, 8]), moves('finding.resolve', [1, 2])],
      [one(2), one(6)],
      [moves('finding.resolve', [3, 6])],
    ];
    for (const [day, batch] of batches.entries()) await append(batch, day);
    // the same entries, each by itself
    const model = batches
      .flatMap((batch, day) => batch.flatMap((entry) => [entry.target ?? []].flat().map((target) => ({ ...entry, target, day }))))
      .reverse();
    const cases: [string, (entry: (typeof model)[number]) => boolean][] = [
      ['', () => true],
      ['&action=finding.open', ({ action }) => action === 'finding.open'],
      ['&action=finding.status', ({ action }) => action === 'finding.status'],
      ['&action=finding.resolve,finding.status', ({ action }) => action !== 'finding.open'],
      ['&actor=system', ({ actor_email }) => actor_email === 'system'],
      ['&target=finding:check/6', ({ target }) => target === 'finding:check/6'],
      ['&target=finding:check/1,finding:check/2,finding:check/6', ({ target }) => named([1, 2, 6]).includes(target)],
      ['&target=finding:check/2&action=finding.resolve', ({ target, action }) => target === named([2])[0] && action === 'finding.resolve'],
      [`&after=${new Date(START + DAY).toISOString()}`, ({ day }) => day > 1],
    ];
    const until = new Date(START + 9 * DAY).toISOString();
    for (const [query, holds] of cases)
      for (const size of [1, 2, 3, 50]) {
        const expected = model.filter(holds).map(({ action, target }) => [action, target]);
        const found: unknown[] = [];
        for (let page = 1; page === 1 || found.length < expected.length; page++) {
          const path = `/api/v1/audit-logs?page=${page}&page_size=${size}&before=${until}${query}`;
          const { items, total, has_more } = (await admin.call<Listed>(path)).body;
          expect([query, total, has_more]).toEqual([query, expected.length, page * size < expected.length]);
          expect(items.length).toBe(Math.min(size, expected.length - found.length));
          found.push(...items.map(({ action, target }) => [action, target]));
        }
        expect([query, size, found]).toEqual([query, size, expected]);
      }
  });

  it('hold together: any change of one of them is found at the first', async () => {
    await append([one(0)]);
    await append([moves('finding.open', [1, 2, 3, 4])]);
    await append([one(9)]);
    const row = (await rows().findOne({ first_seq: { $gt: 0 } }))!;
    const first = row.first_seq!;
    expect(await log().verify(id)).toEqual({ entries: row.seq + 1, first_seq: 1, broken: null });
    const changes: Partial<AuditRow>[] = [
      { target: named([1, 2, 3, 5]) },
      { target: named([2, 1, 3, 4]) },
      { target: named([1, 2, 3]) },
      { target: named([1, 2, 3, 4, 5]) },
      { target: 'finding:check/1' },
      { first_seq: first + 1 },
      { detail: { from: null, to: 'OPEN', scan_run_id: 'other' } },
    ];
    for (const change of changes) {
      await edit(row, change);
      expect([change, (await log().verify(id)).broken?.seq]).toEqual([change, first]);
      await rows().remove({ _id: row._id });
      expect((await log().verify(id)).broken).toEqual({ seq: first, reason: `entry ${first} is missing` });
      await rows().insert(row);
    }
    expect((await log().verify(id)).broken).toBeNull();
  });

  it('leave the hash of other entries what it was before there were any', async () => {
    await append([one(3)]);
    const row = (await rows().findOne({}, { sort: { seq: -1 } }))!;
    const { tenant_id, seq, prev, timestamp, action, actor_email, target, result } = row;
    const fields = [tenant_id, seq, prev, timestamp.toISOString(), action, actor_email, target, null, null, null, result, null];
    const key = openMasterKey({ PALISADE_SECRET: process.env['PALISADE_TEST_SECRET']!, dataDir: null }).derive('audit');
    expect(row.hash).toBe(createHmac('sha256', key).update(JSON.stringify(fields)).digest('hex'));
  });

  it('are proved one by one, by their number and by an exported line', async () => {
    await append([moves('finding.open', [1, 2, 3, 4, 5])]);
    await append([{ ...one(9), detail: { note: 'by hand' }, role: 'analyst', ip_address: '192.0.2.1' }]);
    const row = (await rows().findOne({ first_seq: { $gt: 0 } }))!;
    expect(await command('--seq', String(row.first_seq! + 2))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('finding.open of finding:check/3 by system') as string,
    });
    expect(await command('--seq', String(row.seq + 2))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no entry') as string,
    });

    const folder = mkdtempSync(join(tmpdir(), 'palisade-lines-'));
    const file = join(folder, 'export.ndjson');
    const verifyLines = (lines: readonly string[]) => {
      writeFileSync(file, lines.join(''));
      return command('--line', file);
    };
    const lines = await exported();
    expect(await verifyLines(lines)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${row.seq + 1} exported entries`) as string,
    });
    const third = lines[row.first_seq! + 1]!;
    const forged = [
      third.replace('finding:check/3', 'finding:check/7'),
      third.replace(`"seq":${row.first_seq! + 2}`, `"seq":${row.first_seq! + 1}`),
    ];
    for (const line of forged) {
      expect(line).not.toBe(third);
      expect(await verifyLines([line])).toMatchObject({ code: 1, stderr: expect.stringContaining('was changed') as string });
    }
    await edit(row, { target: named([1, 2, 7, 4, 5]) });
    expect(await verifyLines([third])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is genuine, and the log has another') as string,
    });
    expect(await command('--seq', String(row.seq))).toMatchObject({ code: 1, stderr: expect.stringContaining('was changed') as string });
    rmSync(folder, { recursive: true });
  });
});
