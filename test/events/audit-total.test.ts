import { randomUUID } from 'node:crypto';
import { auditHeads, auditLog, type AuditRow } from '../../kit/audit/records.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { Database } from '../../kit/store/database.js';
import { listAuditLog, type AuditFilter } from '../../subgraphs/events/audit-log/service.js';
import { pick, random } from '../contract/list-model.js';

const next = random(5);
const ACTIONS = ['user.login', 'scan.trigger', 'finding.open'] as const;

let database: Database;
let tenant: string;
let seq: number;
beforeAll(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `audit_total_${randomUUID().slice(0, 8)}`, [
    auditLog,
    auditHeads,
  ]);
});
beforeEach(() => {
  tenant = `t_${randomUUID()}`;
  seq = 0;
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const rows = () => database.tenant(tenant).collection(auditLog);
const append = (count: number) =>
  rows().insertMany(
    Array.from({ length: count }, () => {
      const result = next() < 0.2 ? 'failure' : 'success';
      const row = {
        _id: `${tenant}|${++seq}`,
        tenant_id: tenant,
        seq,
        action: pick(next, ACTIONS),
        actor_email: pick(next, ['a', 'b']),
        result,
      };
      return { ...row, timestamp: new Date(seq * 1_000), prev: '', hash: '' } as AuditRow;
    }),
  );

const list = (args: AuditFilter) => {
  const context = {
    auth: { tenant_id: tenant },
    services: { database },
    collection: (of: never) => database.tenant(tenant).collection(of),
  };
  return listAuditLog(context as unknown as EngineContext, args);
};

const CASES: [AuditFilter, (row: AuditRow) => boolean][] = [
  [{}, () => true],
  [{ result: 'failure' }, ({ result }) => result === 'failure'],
  [{ result: 'success' }, ({ result }) => result === 'success'],
  [{ action: ['user.login'], result: 'success' }, ({ action, result }) => action === 'user.login' && result === 'success'],
  [{ action: ['user.login', 'finding.open'] }, ({ action }) => action !== 'scan.trigger'],
  [{ actor: ['a'], after: new Date(9_000) }, ({ actor_email, timestamp }) => actor_email === 'a' && timestamp > new Date(9_000)],
  [{ actor: ['nobody'] }, () => false],
];

/** Every page of every filter holds what is stored, newest first, with the exact total. */
async function compareAll(): Promise<void> {
  const stored = await rows().find({}, { sort: { seq: -1 } });
  for (const [filter, matches] of CASES) {
    const wanted = stored.filter(matches).map((row) => row.seq);
    for (let page = 1; page <= Math.ceil(wanted.length / 7) + 1; page++) {
      const { items, total } = await list({ ...filter, page, page_size: 7 });
      expect({ filter, page, total, seqs: items.map((row) => row.seq) }).toEqual({
        filter,
        page,
        total: wanted.length,
        seqs: wanted.slice((page - 1) * 7, page * 7),
      });
    }
  }
}

it('totals and pages of the log stay exact while it grows, loses its oldest entries, and has a gap', async () => {
  await compareAll();
  await append(25);
  await compareAll();
  await append(3);
  await compareAll();
  await rows().remove({ seq: { $lte: 10 } });
  await compareAll();
  seq++;
  await append(12);
  await compareAll();
});

it('totals are of one tenant', async () => {
  await append(5);
  expect((await list({})).total).toBe(5);
  tenant = `t_${randomUUID()}`;
  expect((await list({})).total).toBe(0);
  seq = 0;
  await append(2);
  expect((await list({})).total).toBe(2);
});
