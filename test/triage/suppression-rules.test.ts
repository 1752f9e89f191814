import { randomUUID } from 'node:crypto';
import { FINDING_STATUSES } from '../../schema/model.js';
import { AuditLog, auditHeads, auditLog } from '../../kit/audit/audit.js';
import { entriesOf } from '../../kit/audit/entries.js';
import { fixedClock } from '../../kit/base/clock.js';
import { loadConfig } from '../../kit/base/config.js';
import { createLogger } from '../../kit/base/logger.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import { findingCounters } from '../../kit/findings/counters.js';
import { findingCveResources, findingCves } from '../../kit/findings/cves/records.js';
import { countFindings } from '../../kit/findings/query.js';
import { FEED_COLLECTIONS } from '../../kit/findings/feed/records.js';
import { findings, findingTarget } from '../../kit/findings/row.js';
import { FindingService } from '../../kit/findings/service.js';
import { FindingStore } from '../../kit/findings/store.js';
import { suppressions } from '../../kit/findings/suppressions/records.js';
import { matchesPattern } from '../../kit/findings/suppressions/scope.js';
import { suppressByTags, suppressionWork } from '../../kit/findings/suppressions/task.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { Database } from '../../kit/store/database.js';
import { takeDue } from '../../kit/work/due.js';
import { outbox } from '../../kit/work/outbox.js';
import { tenantEnds } from '../../kit/work/tenant-ends.js';
import { engines } from '../../subgraphs/index.js';
import { createSuppression, removeSuppression, updateSuppression } from '../../subgraphs/findings/suppressions/service.js';
import { pick, random } from '../contract/list-model.js';
import { authOf } from '../gateway/support-engines.js';
import { SuppressionModel, type ModelFinding, type ModelRule } from './suppression-model.js';

const SEED = 20_261_125;
const ENGINE = 'vulnerability';
const facts = engines.find(({ name }) => name === ENGINE)!.findings!;
const HOUR = 3_600_000;
const START = '2026-02-10T12:00:00.000Z';
const masterKey = openMasterKey({ PALISADE_SECRET: 'x'.repeat(40), dataDir: null });

let database: Database;
beforeAll(async () => {
  const definitions = [
    ...FEED_COLLECTIONS,
    findings,
    findingCounters,
    findingTexts,
    findingCves,
    findingCveResources,
    suppressions,
    auditLog,
    auditHeads,
    outbox,
    tenantEnds,
  ];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `suppress_${randomUUID().slice(0, 8)}`, definitions);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const RULES = ['CVE-2026-0001', 'CVE-2026-0002', 'CVE-2026-0003'];
const RESOURCES = ['arn:a/one', 'arn:a/two', 'arn:b/one', 'arn:b/[x]'];
const VALUES = {
  engine: ['vulnerability', 'check'],
  rule_id: RULES,
  resource_uid: [...RESOURCES, 'arn:a/*', '*one', 'arn:?/*o*', '*', 'arn:b/[?]'],
  tag: ['team=red', 'team', 'env=prod'],
  account_id: ['1', '2'],
  region: ['eu', 'us'],
  cve: RULES,
} as const;
type Part = keyof typeof VALUES;

/** A tenant, and the model of it, to which the same things happen. */
function estate(next: () => number) {
  const tenant_id = randomUUID();
  const clock = fixedClock(START);
  const model = new SuppressionModel(facts.viewSegment);
  model.now = clock.now().getTime();
  const services = {
    database,
    clock,
    storeClock: clock,
    masterKey,
    config: loadConfig({}),
    logger: createLogger('silent'),
    findingEngines: [facts, engines.find(({ name }) => name === 'check')!.findings!],
    ingest: {
      openFindings: () => Promise.resolve(),
      riskContextsOf: () => Promise.resolve(new Map()),
      tagsOf: (_services: unknown, _id: string, uids: readonly string[]) =>
        Promise.resolve(new Map(uids.flatMap((uid) => (model.tags.has(uid) ? [[uid, model.tags.get(uid)!]] : [])))),
      async *tagged(_services: unknown, _id: string, wanted: readonly string[]) {
        yield [...model.tags].flatMap(([uid, tags]) =>
          Object.entries(tags).some(([name, value]) => wanted.includes(name) || wanted.includes(`${name}=${value}`)) ? [uid] : [],
        );
      },
    },
  } as unknown as EngineServices;
  const context = createEngineContext(services, ENGINE, authOf('analyst', { tenant_id }), new AbortController().signal);
  const service = new FindingService(facts, context);
  const store = new FindingStore(services, new AuditLog(database, masterKey), facts, tenant_id);
  const own = database.tenant(tenant_id).engine(ENGINE);
  let runs = 0;

  const scopeOf = (): ModelRule['scope'] => {
    const parts = (Object.keys(VALUES) as Part[]).filter(() => next() < 0.3);
    const used = parts.length > 0 ? parts : [pick(next, Object.keys(VALUES) as Part[])];
    return Object.fromEntries(used.map((part) => [part, [...new Set([pick(next, VALUES[part]), pick(next, VALUES[part])])]]));
  };
  const expiry = () => (next() < 0.5 ? null : new Date(clock.now().getTime() + Math.ceil(next() * 5) * HOUR));
  /** Does what is due now, as a worker would. */
  const workOff = async () => {
    const work = suppressionWork(services);
    for (;;) {
      const row = await takeDue({ database, storeClock: clock }, { ...work, where: { tenant_id } });
      if (!row) return;
      const signal = new AbortController().signal;
      const outcome = await work.run({ row, signal, lost: signal, isHeld: () => true });
      const rows = database.tenant(tenant_id).collection(suppressions);
      if (outcome) await rows.update({ _id: row._id }, { $set: { due_at: outcome.due_at, leased_by: null, leased_until: null } });
    }
  };

  const operations = {
    async report() {
      const seen = RULES.flatMap((rule_id) => RESOURCES.map((resource_uid) => ({ rule_id, resource_uid }))).filter(() => next() < 0.6);
      const run = { scan_run_id: `run-${++runs}`, at: clock.now(), format: 'scanner' };
      const observations = seen.map(({ rule_id, resource_uid }) =>
        store.prepare(run, {
          ...{ engine: ENGINE, result: 'FAIL', rule_id, resource_uid, title: rule_id, severity: 'high', resource_type: 'host' },
          ...{ provider: 'aws', account_id: pick(next, VALUES.account_id), region: pick(next, VALUES.region), evidence: {}, position: '0' },
        }),
      );
      await store.ingest(run, observations);
      model.report(
        observations.map(({ id, content: { rule_id, resource_uid, account_id, region } }): ModelFinding => {
          return {
            id,
            rule_id,
            resource_uid,
            first: clock.now().getTime(),
            account_id: account_id!,
            region,
            status: 'OPEN',
            held: [],
            absent: false,
          };
        }),
      );
      for (const account_id of VALUES.account_id) await store.closeUnseen(run, { source: 'scanner', account_id, artifact: null });
    },
    async create() {
      if (model.rules.size > 4) return;
      const [scope, expires_at] = [scopeOf(), expiry()];
      const { id, matched_count } = await createSuppression(context, { scope, reason: 'accepted', expires_at });
      model.rules.set(id, { id, scope, expires: expires_at?.getTime() ?? null });
      model.settle();
      expect(matched_count).toBe([...model.findings.values()].filter(({ held }) => held.includes(id)).length);
    },
    async update() {
      const rule = pick(next, [...model.rules.values()]) as ModelRule | undefined;
      if (!rule) return;
      const [scope, expires_at] = [scopeOf(), expiry()];
      const isScope = next() < 0.5;
      await updateSuppression(context, rule.id, isScope ? { scope } : { expires_at });
      Object.assign(rule, isScope ? { scope } : { expires: expires_at?.getTime() ?? null });
      model.settle();
    },
    async lift() {
      const rule = pick(next, [...model.rules.values()]) as ModelRule | undefined;
      if (!rule || next() < 0.5) return;
      await removeSuppression(context, rule.id);
      model.rules.delete(rule.id);
      model.settle();
    },
    async wait() {
      clock.advance(HOUR);
      model.now = clock.now().getTime();
      await workOff();
      model.settle();
    },
    async move() {
      const finding = pick(next, [...model.findings.values()]) as ModelFinding | undefined;
      if (!finding) return;
      const to = pick(next, FINDING_STATUSES);
      const moved = await service.setStatus(finding.id, to, null, null).then(
        () => true,
        () => false,
      );
      expect({ to, moved }).toEqual({ to, moved: model.move(finding, to) });
    },
    async tag() {
      model.tags.set(pick(next, RESOURCES), { team: pick(next, ['red', 'blue']), ...(next() < 0.5 && { env: 'prod' }) });
      await suppressByTags(context, { scan_run_id: `run-${runs}`, at: clock.now() });
      model.settle();
    },
  };

  /** Every finding, count and audit entry is as the model says. */
  async function compare(): Promise<void> {
    const rows = await own.collection(findings).find({});
    const told = rows.map(({ finding_id, status, suppressed_by, first_seen_at, absent_since }) => ({
      ...{ id: finding_id, status, held: suppressed_by ?? [], first: first_seen_at.getTime(), absent: absent_since !== null },
    }));
    const wanted = [...model.findings.values()].map(({ id, status, held, first, absent }) => ({ id, status, held, first, absent }));
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
    expect(told.sort(byId)).toEqual(wanted.sort(byId));
    for (const status of FINDING_STATUSES)
      expect({ status, count: await countFindings(own, { status: [status] }) }).toEqual({
        status,
        count: wanted.filter((one) => one.status === status).length,
      });
    // every move is told, and leads from where the one before has led
    const entries = (
      await database
        .tenant(tenant_id)
        .collection(auditLog)
        .find({}, { sort: { seq: 1 } })
    ).flatMap(entriesOf);
    for (const { id, status } of told) {
      let at: unknown = null;
      for (const { target, detail } of entries) {
        if (target !== findingTarget(ENGINE, id)) continue;
        expect(detail!['from']).toBe(at);
        at = detail!['to'];
      }
      expect(at).toBe(status);
    }
  }
  return { operations, compare, context, clock, store, own };
}

it.each([1, 2, 3, 4])('suppressions hold exactly the findings that they take, whatever happens (%i)', async (round) => {
  const next = random(SEED + round);
  const { operations, compare } = estate(next);
  const names = Object.keys(operations) as (keyof typeof operations)[];
  const done: string[] = [];
  for (let n = 0; n < 60; n++) {
    const name = n === 0 ? 'report' : pick(next, names);
    done.push(name);
    await operations[name]();
    await compare().catch((error: unknown) => {
      throw new Error(`after ${done.join(', ')}: ${(error as Error).message}`);
    });
  }
});

it('a suppression whose time is over takes nothing new, before a worker has ended it', async () => {
  const { context, clock, store, own } = estate(random(SEED));
  const seen = (rule_id: string, scan_run_id: string) => {
    const run = { scan_run_id, at: clock.now(), format: 'scanner' };
    const observation = store.prepare(run, {
      ...{ engine: ENGINE, result: 'FAIL', rule_id, resource_uid: 'r', title: rule_id, severity: 'high', resource_type: 'host' },
      ...{ provider: 'aws', region: 'eu', evidence: {}, position: '0' },
    });
    return store.ingest(run, [observation]);
  };
  const expires_at = new Date(clock.now().getTime() + HOUR);
  await createSuppression(context, { scope: { region: ['eu'] }, reason: 'for an hour', expires_at });
  await seen('CVE-2026-0001', 'before');
  clock.advance(HOUR);
  await seen('CVE-2026-0002', 'after');
  const rows = await own.collection(findings).find({}, { sort: { rule_id: 1 } });
  expect(rows.map(({ status }) => status)).toEqual(['SUPPRESSED', 'OPEN']);
});

it('a pattern takes what a regular expression of it would, in steps that its stars do not multiply', () => {
  const next = random(SEED);
  const text = (letters: readonly string[]) => Array.from({ length: Math.floor(next() * 7) }, () => pick(next, letters)).join('');
  for (let n = 0; n < 3_000; n++) {
    const [pattern, value] = [text(['a', 'b', '*', '?', '.']), text(['a', 'b', '.'])];
    const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`);
    expect({ pattern, value, matches: matchesPattern(pattern, value) }).toEqual({ pattern, value, matches: expression.test(value) });
  }
  expect(matchesPattern(`${'*a'.repeat(500)}b`, 'a'.repeat(2_000))).toBe(false);
});
