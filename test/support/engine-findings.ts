import { randomUUID } from 'node:crypto';
import { FINDING_STATUSES, SEVERITIES } from '../../schema/model.js';
import { Database } from '../../kit/store/database.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { CounterChanges } from '../../kit/findings/counter-changes.js';
import { findingCounters } from '../../kit/findings/counters.js';
import { findingRowId, findings, type FindingRow } from '../../kit/findings/row.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { severityRank } from '../../kit/findings/risk-score.js';
import { pick, random } from '../contract/list-model.js';

/** Engines that have findings; one of them is not to be read. */
export const ENGINES = ['check', 'iam', 'datasec', 'cdr'];
export const READABLE = new Map([
  ['check', 'check'],
  ['iam', 'iam'],
  ['cdr', 'cdr'],
]);
export const EACH = 60;

/** The time of callers: of the moments at which findings are seen, from 0 to 20 seconds on, some are of the last 7 days. */
export const NOW = 7 * 86_400_000 + 10_000;

/** A database with random findings of a tenant in each engine, and what they are. @param more further collections of it */
export async function openFindings(more: Parameters<typeof Database.open>[2] = []): Promise<{ database: Database; rows: FindingRow[] }> {
  const uri = process.env['PALISADE_TEST_MONGODB_URI']!;
  const rows: FindingRow[] = [];
  const database = await Database.open(uri, `across_${randomUUID().slice(0, 8)}`, [findings, findingCounters, findingTexts, ...more]);
  const next = random(3);
  for (const engine of ENGINES) {
    const made = Array.from({ length: EACH }, (_, n) => {
      const severity = pick(next, SEVERITIES);
      const finding_id = Math.floor(next() * 2 ** 32)
        .toString(16)
        .padStart(32, '0');
      const rule_id = pick(next, ['a', 'b', 'c']);
      return {
        _id: findingRowId('t', engine, finding_id),
        tenant_id: 't',
        engine,
        finding_id,
        status: pick(next, FINDING_STATUSES),
        severity,
        severity_rank: severityRank(severity),
        risk_score: 10 * Math.floor(next() * 10),
        provider: 'aws',
        account_id: pick(next, ['one', 'two']),
        cve: pick(next, [null, 'CVE-2031-1', 'CVE-2031-2']),
        region: 'eu',
        resource_type: 'aws_s3_bucket',
        rule_id,
        title: `Title ${rule_id} of it`,
        resource_name: null,
        resource_uid: `resource-${n}`,
        ticket: next() < 0.2 ? { ticket_id: 'SEC-1' } : null,
        known_exploited: pick(next, [true, false, null]),
        scan_run_id: `run-${n % 3}`,
        discriminator: '',
        first_seen_at: new Date(1_000 * Math.floor(next() * 20)),
        last_seen_at: new Date(1_000 * Math.floor(next() * 20)),
      } as unknown as FindingRow;
    });
    const scoped = database.tenant('t').engine(engine);
    const counters = new CounterChanges();
    for (const row of made) counters.add(row, 1);
    await scoped.collection(findings).insertMany(made);
    await database.transaction((transaction) => counters.write(scoped, transaction));
    rows.push(...made);
  }
  return { database, rows };
}

/** What the list needs of a caller who may read some engines, and whose findings may be slow to come. */
export const callerOf = (database: Database, engines: ReadonlyMap<string, string>, timeout = 60_000): EngineContext =>
  ({
    auth: { tenant_id: 't', permissions: ['check:read'] },
    signal: new AbortController().signal,
    services: {
      database,
      clock: { now: () => new Date(NOW) },
      config: { FAN_OUT_TIMEOUT_MS: timeout },
      findingEngines: ENGINES.map((engine) => ({
        engine,
        viewSegment: engine,
        permission: engines.has(engine) ? 'check:read' : 'datasec:read',
        module: { code: engine, label: `Label of ${engine}` },
      })),
    },
  }) as unknown as EngineContext;
