import { countRun } from '../../kit/findings/run-counts.js';
import { randomUUID } from 'node:crypto';
import { mongo } from 'mongoose';
import type { Observation } from '../../schema/observations.js';
import { AuditLog, auditHeads, auditLog } from '../../kit/audit/audit.js';
import { Database } from '../../kit/store/database.js';
import { findingCounters } from '../../kit/findings/counters.js';
import type { IngestRun } from '../../kit/engine/finding-sink.js';
import { FEED_COLLECTIONS } from '../../kit/findings/feed/records.js';
import { findings, type FindingRow } from '../../kit/findings/row.js';
import { otherSources } from '../../kit/findings/other-sources.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { FindingStore } from '../../kit/findings/store.js';
import { controlStatus, statusAfterMove } from '../../kit/findings/lifecycle.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { outbox } from '../../kit/work/outbox.js';
import { engines } from '../../subgraphs/index.js';
import { storeServices } from '../support/store-services.js';

const SCOPE = { source: 'scanner', account_id: null, artifact: null };
const facts = engines.find(({ name }) => name === 'check')!.findings!;

let database: Database;
beforeAll(async () => {
  const definitions = [...FEED_COLLECTIONS, findings, otherSources, findingCounters, findingTexts, auditLog, auditHeads, outbox];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `order_${randomUUID().slice(0, 8)}`, definitions);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));
const run = (scan_run_id: string, observed: number, began = 20): IngestRun => ({
  scan_run_id,
  at: at(began),
  observed_at: at(observed),
  format: 'scanner',
});
const seen: Observation = {
  engine: 'check',
  result: 'FAIL',
  rule_id: 'rule',
  title: 'A title',
  severity: 'high',
  resource_uid: 'resource',
  resource_type: 'aws_s3_bucket',
  provider: 'aws',
  region: 'global',
  evidence: {},
  position: '0',
};

/** A tenant of its own, with what runs and people do to it. */
function estate() {
  const tenant = randomUUID();
  const auditing = new AuditLog(database, openMasterKey({ PALISADE_SECRET: 'x'.repeat(40), dataDir: null }));
  const store = new FindingStore(storeServices(database), auditing, facts, tenant);
  const rows = database.tenant(tenant).engine('check').collection(findings);
  return {
    rows,
    sees: (by: IngestRun, change: Partial<Observation> = {}) => store.ingest(by, [store.prepare(by, { ...seen, ...change })]),
    seesAll: (by: IngestRun, rules: readonly string[]) =>
      store.ingest(
        by,
        rules.map((rule_id) => store.prepare(by, { ...seen, rule_id })),
      ),
    misses: (by: IngestRun) => store.closeUnseen(by, SCOPE),
    counts: (by: IngestRun) => countRun(database.tenant(tenant), ['check'], by.scan_run_id),
    set: (change: Partial<FindingRow>) => rows.update({}, { $set: change }),
    entries: () =>
      database
        .tenant(tenant)
        .collection(auditLog)
        .find({}, { sort: { seq: 1 } }),
    row: async () => (await rows.findOne({}))!,
  };
}

describe('a finding whose format tells it apart by something else than in earlier releases', () => {
  const place = (former: string) => ({ discriminator: 'file.py', former_discriminator: former });

  it('keeps its id and what it was stored by, and nothing opens, closes or doubles', async () => {
    const { sees, misses, counts, row } = estate();
    await sees(run('before', 1), { discriminator: 'file.py|digest' });
    const before = await row();
    for (const [name, hour] of [
      ['after', 2],
      ['again', 3],
    ] as const) {
      await sees(run(name, hour), place('file.py|digest'));
      await misses(run(name, hour));
      expect(await counts(run(name, hour))).toMatchObject({ new: 0, updated: 1, resolved: 0, regressed: 0 });
    }
    const { finding_id, discriminator, status, version } = await row();
    expect([finding_id, discriminator, status]).toEqual([before.finding_id, 'file.py|digest', 'OPEN']);
    // the content's digest is another once, and not again
    expect(version).toBe(2);
  });

  it('is a new one where none was stored, and stays it', async () => {
    const { sees, counts, row } = estate();
    await sees(run('first', 1), place('file.py|digest'));
    await sees(run('second', 2), place('file.py|another'));
    expect(await counts(run('second', 2))).toMatchObject({ new: 0, updated: 1 });
    expect(await row()).toMatchObject({ discriminator: 'file.py', version: 1 });
  });

  it('goes on as what stands under the id of today, where both are stored', async () => {
    const { sees, rows } = estate();
    // ids are digests: of several rules, either of the two comes first
    for (const rule_id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await sees(run('before', 1), { rule_id, discriminator: 'file.py|digest' });
      await sees(run('before', 1), { rule_id, discriminator: 'file.py' });
      await sees(run('after', 2), { rule_id, ...place('file.py|digest') });
    }
    const stored = await rows.find({}, { fields: ['discriminator', 'scan_run_id'] });
    expect(new Set(stored.map((row) => `${row.discriminator} ${row.scan_run_id}`))).toEqual(
      new Set(['file.py after', 'file.py|digest before']),
    );
  });
});

describe('runs in the order in which they observed', () => {
  it('an older one neither redates, reopens nor closes what a newer one touched', async () => {
    const { sees, misses, row } = estate();
    await sees(run('newer', 10));
    const before = await row();
    await sees(run('older', 8), { title: 'An old title', severity: 'low' });
    await misses(run('oldest', 7));
    expect(await row()).toEqual(before);
    await misses(run('newest', 12));
    const closed = await row();
    expect(closed).toMatchObject({ status: 'RESOLVED', resolved_at: at(12) });
    await sees(run('between', 11));
    expect(await row()).toEqual(closed);
  });

  it('one without a moment of its own is dated by its beginning', async () => {
    const { sees, row } = estate();
    await sees({ scan_run_id: 'plain', at: at(5), format: 'scanner' });
    expect(await row()).toMatchObject({ first_seen_at: at(5), last_seen_at: at(5) });
    await sees({ scan_run_id: 'later', at: at(6), format: 'scanner' });
    expect(await row()).toMatchObject({ first_seen_at: at(5), last_seen_at: at(6) });
  });

  it('two of the same moment count each what it did', async () => {
    const { sees, counts } = estate();
    await sees(run('first', 3));
    await sees(run('second', 3));
    expect(await counts(run('second', 3))).toEqual({ new: 0, updated: 1, resolved: 0, regressed: 0, seen: 1 });
  });
});

describe('who produced, confirmed and closed a finding', () => {
  it('is told apart: the closing run is resolved_by', async () => {
    const { sees, misses, row, counts } = estate();
    await sees(run('one', 1));
    await sees(run('two', 2));
    await misses(run('three', 3));
    expect(await row()).toMatchObject({
      scan_run_id: 'two',
      last_seen_at: at(2),
      resolved_by: { scan_run_id: 'three' },
      status: 'RESOLVED',
    });
    expect(await counts(run('three', 3))).toEqual({ new: 0, updated: 0, resolved: 1, regressed: 0, seen: 0 });
    await sees(run('four', 4));
    expect(await row()).toMatchObject({ scan_run_id: 'four', resolved_by: null, resolved_at: null, regressed_at: at(4), status: 'OPEN' });
    expect(await counts(run('four', 4))).toMatchObject({ new: 0, updated: 0, regressed: 1 });
  });

  it('counts the version on with every change that a person sees, and with no other', async () => {
    const { sees, row } = estate();
    await sees(run('one', 1));
    await sees(run('two', 2));
    expect((await row()).version).toBe(1);
    await sees(run('three', 3), { title: 'Another title' });
    expect((await row()).version).toBe(2);
    await sees(run('four', 4), { title: 'Another title', severity: 'critical' });
    expect(await row()).toMatchObject({ version: 3, severity: 'critical' });
    await sees(run('five', 5), { title: 'Another title', severity: 'critical' });
    expect((await row()).version).toBe(3);
  });
});

describe('a suppressed finding that is gone', () => {
  it('is absent from the first completed run that does not see it, until one sees it again', async () => {
    const { sees, misses, set, row } = estate();
    await sees(run('one', 1));
    await set({ status: 'SUPPRESSED' });
    await misses(run('two', 2));
    expect(await row()).toMatchObject({ status: 'SUPPRESSED', absent_since: at(2), scan_run_id: 'one' });
    await misses(run('three', 3));
    expect(await row()).toMatchObject({ absent_since: at(2) });
    await sees(run('four', 4));
    expect(await row()).toMatchObject({ status: 'SUPPRESSED', absent_since: null });
  });

  it('passes its control, and is resolved when the suppression is lifted', () => {
    expect(controlStatus({ status: 'SUPPRESSED', absent_since: at(2) })).toBe('PASS');
    expect(statusAfterMove({ status: 'SUPPRESSED', absent_since: at(2) }, 'OPEN')).toBe('RESOLVED');
    expect(statusAfterMove({ status: 'SUPPRESSED', absent_since: null }, 'OPEN')).toBe('OPEN');
    expect(statusAfterMove({ status: 'SUPPRESSED', absent_since: at(2) }, 'FALSE_POSITIVE')).toBe('FALSE_POSITIVE');
    const statuses = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'SUPPRESSED', 'FALSE_POSITIVE'] as const;
    expect(statuses.map((status) => controlStatus({ status }))).toEqual(['FAIL', 'FAIL', 'PASS', 'FAIL', 'PASS']);
  });
});

describe('a batch of findings that others move meanwhile', () => {
  const rules = Array.from({ length: 330 }, (_, n) => `rule-${n}`);
  /** Fails the first tries that write a finding of this rule, as a change of it by somebody else does. */
  const inTheWay = (rule: string, tries: number) => {
    const insert = mongo.Collection.prototype.insertMany;
    return jest.spyOn(mongo.Collection.prototype, 'insertMany').mockImplementation(function (this: mongo.Collection, given, options) {
      if (tries > 0 && (given as readonly Partial<FindingRow>[]).some(({ rule_id }) => rule_id === rule)) {
        tries -= 1;
        return Promise.reject(new mongo.MongoServerError({ message: 'conflict', code: 112 }));
      }
      return insert.call(this, given, options);
    });
  };
  afterEach(() => jest.restoreAllMocks());

  it('is taken in whole, once, in halves until they are small', async () => {
    const { seesAll, rows, entries } = estate();
    inTheWay('rule-0', 4);
    await seesAll(run('first', 10), rules);
    expect(new Set((await rows.find({})).map(({ rule_id }) => rule_id))).toEqual(new Set(rules));
    // 330, 165 and 83, of which the last is small enough to be tried again as it is
    expect((await entries()).map(({ target }) => target!.length)).toEqual([83, 82, 165]);
  });

  it('fails at once for any other reason', async () => {
    const { seesAll, rows } = estate();
    jest.spyOn(mongo.Collection.prototype, 'insertMany').mockRejectedValueOnce(new mongo.MongoServerError({ message: 'no', code: 2 }));
    await expect(seesAll(run('first', 10), rules)).rejects.toThrow('no');
    expect(await rows.find({})).toEqual([]);
  });
});
