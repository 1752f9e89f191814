import { randomUUID } from 'node:crypto';
import { AuditLog, auditHeads, auditLog } from '../../kit/audit/audit.js';
import type { IngestRun } from '../../kit/engine/finding-sink.js';
import { POSTURE_ENGINES, RULE_VERDICTS, type ResourceResults, type RuleVerdict } from '../../kit/engine/rule-results.js';
import { findingCounters } from '../../kit/findings/counters.js';
import { MANUAL_MOVES } from '../../schema/model.js';
import { statusAfterMove } from '../../kit/findings/lifecycle.js';
import { FEED_COLLECTIONS } from '../../kit/findings/feed/records.js';
import { findings } from '../../kit/findings/row.js';
import { otherSources } from '../../kit/findings/other-sources.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { forgetResults, recordResults, ruleResults } from '../../kit/findings/rule-results.js';
import { firstResults, ruleTallies } from '../../kit/findings/rule-tallies.js';
import { FindingStore } from '../../kit/findings/store.js';
import { VerdictChanges } from '../../kit/findings/verdict-changes.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { Database } from '../../kit/store/database.js';
import { outbox } from '../../kit/work/outbox.js';
import { loadCatalog } from '../../catalog/catalog.js';
import type { Observation } from '../../schema/observations.js';
import { engines } from '../../subgraphs/index.js';
import { random } from '../contract/list-model.js';
import { storeServices } from '../support/store-services.js';
import { recount, storedTallies } from '../support/tallies.js';

let database: Database;
beforeAll(async () => {
  const definitions = [
    ...FEED_COLLECTIONS,
    findings,
    otherSources,
    findingCounters,
    findingTexts,
    ruleResults,
    ruleTallies,
    firstResults,
    auditLog,
    auditHeads,
    outbox,
  ];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `tallies_${randomUUID().slice(0, 8)}`, definitions);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const RULES = ['aws.volume', 'aws.bucket', 'custom.own'];
const ACCOUNTS = ['one', 'two', null];
const factsOf = (name: string) => engines.find((engine) => engine.name === name)!.findings!;

/** A tenant whose results and findings change at random, as runs and people change them. */
function estate(seed: number) {
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const tenant = randomUUID();
  const auditing = new AuditLog(database, openMasterKey({ PALISADE_SECRET: 'x'.repeat(40), dataDir: null }));
  const stores = ['check', 'iam'].map((name) => new FindingStore(storeServices(database), auditing, factsOf(name), tenant));
  let hour = 0;
  const run = (): IngestRun => ({ scan_run_id: `run-${hour}`, at: new Date(Date.UTC(2026, 0, 1, hour++)), format: 'terraform' });
  const uid = () => `resource-${Math.floor(next() * 6)}`;
  const results = (verdict: () => RuleVerdict): ResourceResults => ({
    resource_uid: uid(),
    resource_type: 'aws_ebs_volume',
    resource_name: null,
    provider: 'aws',
    account_id: pick(ACCOUNTS),
    region: 'global',
    artifact: null,
    results: RULES.filter(() => next() < 0.8).map((rule_id) => ({ rule_id, result: verdict() })),
  });
  // a rule of the catalog has one engine; a tenant's own may get another
  const observation = (rules: readonly string[]): Observation => {
    const account_id = pick(ACCOUNTS);
    return {
      engine: 'check',
      result: 'FAIL',
      rule_id: pick(rules),
      title: 'A title',
      severity: 'high',
      resource_uid: uid(),
      resource_type: 'aws_ebs_volume',
      provider: 'aws',
      ...(account_id && { account_id }),
      region: 'global',
      source: next() < 0.9 ? 'palisade' : 'scanner',
      evidence: {},
      position: '0',
    };
  };
  const scope = () => ({ account_id: pick(ACCOUNTS), artifact: null });
  const steps: readonly (() => Promise<unknown>)[] = [
    () => recordResults(database, tenant, run(), [results(() => pick(RULE_VERDICTS)), results(() => pick(RULE_VERDICTS))]),
    () => {
      const [by, isOther] = [run(), next() < 0.3];
      const store = stores[isOther ? 1 : 0]!;
      const rules = isOther ? ['custom.own'] : RULES;
      return store.ingest(by, [store.prepare(by, observation(rules)), store.prepare(by, observation(rules))]);
    },
    () => pick(stores).closeUnseen(run(), { source: 'palisade', ...scope() }),
    () => pick(stores).closeRule(run(), pick(RULES)),
    () => forgetResults(database, tenant, run(), scope()),
    () => triage(next() < 0.1),
  ];

  /** A person moves a finding, or retention removes it. */
  const triage = (removes: boolean): Promise<void> => {
    const chosen = next();
    return database.transaction(async (transaction) => {
      const all = await database.system(findings).find({ tenant_id: tenant }, { sort: { _id: 1 }, transaction });
      const before = all[Math.floor(chosen * all.length)];
      if (!before) return;
      const status = statusAfterMove(before, MANUAL_MOVES[before.status][Math.floor(chosen * 97) % MANUAL_MOVES[before.status].length]!);
      const after = removes ? null : { ...before, status, absent_since: null };
      const rows = database.tenant(tenant).engine(before.engine).collection(findings);
      if (after) await rows.update({ _id: before._id }, { $set: { status, absent_since: null } }, { transaction });
      else await rows.remove({ _id: before._id }, { transaction });
      const verdicts = new VerdictChanges();
      verdicts.move(before, after);
      await verdicts.write(database, tenant, transaction);
    });
  };
  /** As many resources of one account, each with a failure of every rule and its finding. */
  const fill = async (resources: number): Promise<void> => {
    const by = run();
    const all = Array.from({ length: resources }, (_, n) => ({ resource_uid: `filled-${n}`, account_id: 'one' }));
    const failing = all.map((one) => ({
      ...results(() => 'FAIL'),
      ...one,
      results: RULES.map((rule_id) => ({ rule_id, result: 'FAIL' as const })),
    }));
    await recordResults(database, tenant, by, failing);
    const seen = all.flatMap((one) =>
      RULES.map((rule_id) => stores[0]!.prepare(by, { ...observation(RULES), ...one, rule_id, source: 'palisade' })),
    );
    await stores[0]!.ingest(by, seen);
  };
  return { tenant, step: () => pick(steps)(), fill };
}

describe('the tallies of rules', () => {
  it.each([1, 2, 3])('are what counting all results and findings anew gives, after every step of runs and people (%i)', async (seed) => {
    const { tenant, step } = estate(seed);
    for (let n = 0; n < 120; n++) {
      await step();
      expect({ n, tallies: await storedTallies(database, tenant) }).toEqual({ n, tallies: await recount(database, tenant) });
    }
  });

  it('are so when steps run at the same time', async () => {
    const { tenant, step } = estate(7);
    for (let n = 0; n < 60; n++) {
      const ended = await Promise.allSettled([step(), step(), step(), step()]);
      // a finding that two open at the same time is refused to one of them
      for (const one of ended) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 11_000 });
      expect({ n, tallies: await storedTallies(database, tenant) }).toEqual({ n, tallies: await recount(database, tenant) });
    }
  });
});

test('every rule of the catalog raises findings in an engine of posture rules', () => {
  expect(
    [...new Set(loadCatalog().rules.map(({ engine }) => engine))].filter((engine) => !POSTURE_ENGINES.includes(engine as never)),
  ).toEqual([]);
});

describe('results', () => {
  const tenant = randomUUID();
  const said = (result: RuleVerdict): ResourceResults => ({
    resource_uid: 'resource',
    resource_type: 'aws_ebs_volume',
    resource_name: null,
    provider: 'aws',
    account_id: 'one',
    region: 'global',
    artifact: null,
    results: [{ rule_id: 'aws.volume', result }],
  });
  const run = (scan_run_id: string, observed: number, began = observed) => ({
    scan_run_id,
    at: new Date(Date.UTC(2026, 0, 1, began)),
    observed_at: new Date(Date.UTC(2026, 0, 1, observed)),
  });
  const SCOPE = { account_id: 'one', artifact: null };
  const stands = async (result: RuleVerdict | null) => {
    const rows = await database.tenant(tenant).collection(ruleResults).find({});
    expect(rows.map(({ results: [one] }) => one!.result)).toEqual(result === null ? [] : [result]);
    expect(await storedTallies(database, tenant)).toEqual(result === null ? {} : { 'aws.volume|aws|one': { [result]: 1 } });
  };

  it('of a run that observed later stay, whatever an older one says when it comes', async () => {
    await recordResults(database, tenant, run('newer', 10), [said('PASS')]);
    await recordResults(database, tenant, run('older', 8, 12), [said('FAIL')]);
    await forgetResults(database, tenant, run('oldest', 7, 13), SCOPE);
    await stands('PASS');
    await recordResults(database, tenant, run('newest', 14), [said('FAIL')]);
    await stands('FAIL');
    await forgetResults(database, tenant, run('last', 15), SCOPE);
    await stands(null);
  });

  it('of before moments were kept are ordered by when they were evaluated', async () => {
    await recordResults(database, tenant, run('before', 10), [said('PASS')]);
    await database
      .tenant(tenant)
      .collection(ruleResults)
      .updateMany({}, { $unset: { observed_at: 1 } });
    await recordResults(database, tenant, run('older', 9), [said('FAIL')]);
    await forgetResults(database, tenant, run('older', 9), SCOPE);
    await stands('PASS');
    await forgetResults(database, tenant, run('newer', 11), SCOPE);
    await stands(null);
  });
});

it('as many tallies are read for a score as there are rules and accounts, however many resources and findings', async () => {
  const read = async (resources: number): Promise<number> => {
    const { tenant, fill } = estate(resources);
    await fill(resources);
    expect(await storedTallies(database, tenant)).toEqual(await recount(database, tenant));
    return database.tenant(tenant).collection(ruleTallies).count({});
  };
  expect([await read(10), await read(300)]).toEqual([3, 3]);
});
