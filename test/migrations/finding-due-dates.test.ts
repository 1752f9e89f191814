import { randomUUID } from 'node:crypto';
import { systemClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import { findingRowId, findings, type FindingRow } from '../../kit/findings/row.js';
import { Database } from '../../kit/store/database.js';
import { migrate, migrationRows } from '../../kit/store/migration.js';
import { schemaRows } from '../../kit/store/schema-epoch.js';
import { findingsByDueRank } from '../../processes/migrations/finding-due-ranks.js';
import { findingsByDueDate } from '../../processes/migrations/finding-due-dates.js';

it('findings of the release before are due by the usual windows, counted from when they last came back', async () => {
  const all = [findings, migrationRows, schemaRows] as never[];
  const database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `dates_${randomUUID().slice(0, 8)}`, all);
  try {
    const [first, back] = [new Date('2026-01-01T00:00:00.000Z'), new Date('2026-02-01T00:00:00.000Z')];
    const row = (tenant_id: string, severity: string, more: Partial<FindingRow> = {}): FindingRow => {
      const finding_id = `${severity}-${Object.keys(more).join()}`;
      const facts = {
        _id: findingRowId(tenant_id, 'check', finding_id),
        tenant_id,
        engine: 'check',
        finding_id,
        severity,
        rule_id: finding_id,
      };
      return { ...facts, resource_uid: 'r', discriminator: '', first_seen_at: first, regressed_at: null, ...more } as FindingRow;
    };
    const stored = [row('t1', 'critical'), row('t1', 'high', { regressed_at: back }), row('t1', 'low'), row('t2', 'medium')];
    await database.system(findings).insertMany(stored);
    for (let again = 0; again < 2; again++)
      await migrate(database, systemClock, createLogger('silent'), [findingsByDueDate, findingsByDueRank]);
    const rows = await database.system(findings).find({}, { sort: { _id: 1 } });
    expect(rows.map(({ due_rank }) => due_rank)).toEqual(rows.map(({ due_at }) => due_at?.getTime() ?? Number.MAX_SAFE_INTEGER));
    expect(rows.map(({ tenant_id, severity, due_at }) => [tenant_id, severity, due_at?.toISOString() ?? null])).toEqual([
      ['t1', 'critical', '2026-01-08T00:00:00.000Z'],
      ['t1', 'high', '2026-03-03T00:00:00.000Z'],
      ['t1', 'low', null],
      ['t2', 'medium', '2026-04-01T00:00:00.000Z'],
    ]);
  } finally {
    await database.drop();
    await database.close();
  }
});
