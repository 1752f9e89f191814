import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tenants } from '../../accounts/records.js';
import { createTenant } from '../../accounts/seed.js';
import { readDetections } from '../../catalog/detections/rule-file.js';
import { DetectionRules } from '../../catalog/detections/rule-set.js';
import { systemAuthContext } from '../../kit/base/auth-context.js';
import { fixedClock } from '../../kit/base/clock.js';
import { loadConfig } from '../../kit/base/config.js';
import { createLogger } from '../../kit/base/logger.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import { packEvents } from '../../kit/engine/event-pack.js';
import type { JobRun } from '../../kit/engine/job.js';
import { applyRule } from '../../kit/engine/retention.js';
import { findings, type FindingRow } from '../../kit/findings/row.js';
import { jobs } from '../../kit/work/jobs.js';
import { openServices, type Opened } from '../../processes/services.js';
import { permissionsOf } from '../../schema/permissions.js';
import type { EventInput } from '../../schema/observations.js';
import { askForChanged } from '../../subgraphs/cdr/again/ask.js';
import { FindingWriter } from '../../subgraphs/cdr/again/findings.js';
import { judgeAgain } from '../../subgraphs/cdr/again/job.js';
import { raised } from '../../subgraphs/cdr/detections/raise.js';
import { detectionEventRetention } from '../../subgraphs/cdr/detections/retention.js';
import { ingestEvents } from '../../subgraphs/cdr/events/ingest.js';
import { cloudEvents } from '../../subgraphs/cdr/events/records.js';
import { eventRetention } from '../../subgraphs/cdr/events/retention.js';

const DAY = 86_400_000;
const NOW = '2030-06-01T12:00:00.000Z';
const clock = fixedClock(NOW);
const daysAgo = (days: number) => new Date(Date.parse(NOW) - days * DAY);
const signal = new AbortController().signal;

let opened: Opened;
beforeAll(async () => {
  const env = {
    MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI'],
    MONGODB_DB: `again_${randomUUID().slice(0, 8)}`,
    PALISADE_SECRET: process.env['PALISADE_TEST_SECRET'],
    OBJECT_DIR: mkdtempSync(join(tmpdir(), 'palisade-test-')),
  };
  opened = await openServices(loadConfig(env), createLogger('silent'), { clock });
});
beforeEach(() => clock.set(NOW));
afterAll(async () => {
  await opened.services.database.drop();
  await opened.close();
});

/** Rules of a release, each by its name and the call that it looks for. */
function rulesOf(calls: Readonly<Record<string, string | string[]>>, correlation?: object): DetectionRules {
  const about = { description: 'A rule.', level: 'low', tags: ['attack.t1098'], response: ['Look.'] };
  const logsource = { product: 'aws', service: 'cloudtrail' };
  const documents = Object.entries(calls).map(([name, eventName]): object => ({
    ...{ title: name, name, ...about, logsource, detection: { s: { eventName }, condition: 's' } },
  }));
  if (correlation) documents.push({ title: 'Together', name: 'together', ...about, correlation });
  const mistakes: string[] = [];
  const sources = readDetections(documents.map((one) => JSON.stringify(one)).join('\n---\n'), 'test.yaml', mistakes);
  expect(mistakes).toEqual([]);
  return new DetectionRules(sources);
}

const event = (action: string, time: Date, own: Partial<EventInput> = {}): EventInput => ({
  ...{ event_id: `${action}-${time.getTime()}`, time, provider: 'aws', account_id: '111122223333', region: 'eu-central-1' },
  ...{ log: 'management:write', service: 's3', action, outcome: 'success', actor: 'arn:aws:iam::111122223333:user/eve' },
  ...{ actor_kind: 'user', record: { eventName: action }, position: action, ...own },
});

/** A tenant whose log was imported while these rules counted. */
async function imported(rules: DetectionRules, events: readonly EventInput[]) {
  const { services } = opened;
  const tenant = await createTenant(services, { organization_id: 'org_test', name: 'Test' });
  const { tenant_id } = tenant;
  const auth = systemAuthContext(
    { tenant_id, organization_id: 'org_test', plan: 'starter' },
    'tenant_admin',
    permissionsOf('tenant_admin'),
  );
  const context = createEngineContext(services, 'cdr', auth, signal);
  const run = { scan_run_id: `import-${tenant_id}`, at: clock.now() };
  await ingestEvents(context, run, { packs: [packEvents(events, (one) => rules.match(one))], spans: [] });
  const writer = new FindingWriter(context, run);
  for await (const one of raised(context, run.scan_run_id, rules.all, false)) await writer.take(one);
  await writer.flush();
  const found = async () =>
    (await context.collection(findings).find({}))
      .map(({ rule_id, status, evidence }) => `${rule_id.replace('palisade-detection-', '')} ${status} ${String(evidence['count'])}`)
      .sort();
  return { context, tenant_id, found };
}

/** A job over all of these rules, as a worker does it; a `dieAfter` kills it after so many steps, and it is begun again where it was. */
async function judge(context: JobRun['context'], rules: DetectionRules, dieAfter = Infinity, run: string = randomUUID()) {
  clock.advance(60_000);
  const payload = { run, rules: [...rules.all.keys()], since: new Date(Math.floor(daysAgo(30).getTime() / DAY) * DAY).toISOString() };
  let [position, result]: [string | null, Record<string, unknown> | null] = [null, null];
  for (let left = dieAfter; ; left = Infinity) {
    const job: JobRun = {
      ...{ context, payload, position, result, isFollowed: true },
      alive: () => {
        if (left-- <= 0) throw new Error('killed');
      },
      advance: async (_, progress) => {
        position = progress.position;
        result = progress.result;
      },
    };
    try {
      await judgeAgain(job, rules);
      return result;
    } catch (error) {
      if ((error as Error).message !== 'killed') throw error;
    }
  }
}

const LOG = [event('Before', daysAgo(2)), event('Both', daysAgo(2)), event('After', daysAgo(3)), event('After', daysAgo(40))];

it('opens what a changed rule sees in the last thirty days, and resolves what it sees no more', async () => {
  const { context, found } = await imported(rulesOf({ one: ['Before', 'Both'], two: 'Before' }), LOG);
  expect(await found()).toEqual(['one OPEN 2', 'two OPEN 1']);
  const later = rulesOf({ one: 'Both', two: 'Nothing', three: 'After' });
  expect(await judge(context, later)).toEqual({ events: 3 });
  const expected = ['one OPEN 1', 'three OPEN 1', 'two RESOLVED 1'];
  expect(await found()).toEqual(expected);
  await judge(context, later);
  expect(await found()).toEqual(expected);
  // and when the rule is as it was
  await judge(context, rulesOf({ one: ['Before', 'Both'], two: 'Before', three: 'After' }));
  expect(await found()).toEqual(['one OPEN 2', 'three OPEN 1', 'two OPEN 1']);
});

it.each([1, 2, 3, 4, 5, 6])('says the same when it is killed after %i steps', async (steps) => {
  const { context, found } = await imported(rulesOf({ one: ['Before', 'Both'], two: 'Before' }), LOG);
  await judge(context, rulesOf({ one: 'Both', two: 'Nothing', three: 'After' }), steps);
  expect(await found()).toEqual(['one OPEN 1', 'three OPEN 1', 'two RESOLVED 1']);
});

it('leaves what people have resolved', async () => {
  const { context, found } = await imported(rulesOf({ one: 'Both' }), LOG);
  const resolved = { status: 'RESOLVED' as const, resolved_at: clock.now(), resolved_by: { actor_email: 'ann@x.example' } };
  await context.collection(findings).update({ status: 'OPEN' }, { $set: resolved });
  await judge(context, rulesOf({ one: ['Both', 'Before'] }));
  expect(await found()).toEqual(['one RESOLVED 1']);
});

it('leaves days alone of which retention has begun to remove the events', async () => {
  const minutes = (days: number, count: number) => new Date(daysAgo(days).getTime() + count * 60_000);
  // the cut lies at noon: of the third day before, an hour before and an hour behind it
  const log = [-50, -40, 40, 50].flatMap((at) => [event('A', minutes(3, at)), event('A', minutes(1, at))]);
  const counting = (timespan: string, gte: number) =>
    rulesOf({ 'rule-a': 'A' }, { type: 'event_count', rules: ['rule-a'], timespan, condition: { gte } });
  const { context, tenant_id, found } = await imported(counting('2h', 4), log);
  expect(await found()).toEqual(['together OPEN 4', 'together OPEN 4']);
  const settings = { event_retention_days: 3 };
  await context.services.database.tenant(tenant_id).collection(tenants).update({ _id: tenant_id }, { $set: { settings } });
  for (const rule of [eventRetention, detectionEventRetention]) await applyRule(context.services, rule, { tenant_id, settings }, signal);
  expect(await context.collection(cloudEvents).count({})).toBe(6);
  expect(await judge(context, counting('3h', 4))).toEqual({ events: 4 });
  expect(await found()).toEqual(['together OPEN 4', 'together OPEN 4']);
  // the other day is judged
  await judge(context, counting('3h', 5));
  expect(await found()).toEqual(['together OPEN 4', 'together RESOLVED 4']);
});

it('counts what came from one address when a rule begins to count so', async () => {
  const from = (n: number, source_ip?: string) =>
    event('Tried', new Date(daysAgo(2).getTime() + n * 1_000), { actor: `user-${n}`, source_ip, event_id: `tried-${n}` });
  const { context, found } = await imported(rulesOf({}), [from(1, '203.0.113.7'), from(2, '203.0.113.7'), from(3, '203.0.113.8'), from(4)]);
  const by = { 'group-by': ['event.source_ip', 'event.account_id'], timespan: '1h' };
  await judge(
    context,
    rulesOf({ tried: 'Tried' }, { type: 'value_count', rules: ['tried'], condition: { gte: 2, field: 'event.actor' }, ...by }),
  );
  expect(await found()).toEqual(['together OPEN 2']);
  const [{ resource_uid, evidence }] = (await context.collection(findings).find({})) as [FindingRow];
  expect([resource_uid, evidence['principals']]).toEqual(['203.0.113.7', ['user-1', 'user-2']]);
});

it('sees what comes together in any order, and not what is further apart', async () => {
  const minutes = (count: number) => new Date(daysAgo(2).getTime() + count * 60_000);
  const log = [event('A', minutes(30)), event('B', minutes(0)), event('C', minutes(59))];
  const calls = { 'rule-a': 'A', 'rule-b': 'B', 'rule-c': 'C' };
  const within = (timespan: string) => rulesOf(calls, { type: 'temporal', rules: ['rule-a', 'rule-b', 'rule-c'], timespan });
  const { context, found } = await imported(within('1h'), log);
  expect(await found()).toEqual(['together OPEN 3']);
  const { evidence } = (await context.collection(findings).findOne({}))!;
  expect(evidence['steps']).toMatchObject([{ step: 'rule-b' }, { step: 'rule-a' }, { step: 'rule-c' }]);
  await judge(context, within('58m'));
  expect(await found()).toEqual(['together RESOLVED 3']);
});

it('asks for each tenant with events once, when a rule is new or another', async () => {
  const { tenant_id } = await imported(rulesOf({ one: 'Both' }), LOG);
  const versions = (one: string) => new Map([['one', one], ['two', 'same']]); // prettier-ignore
  const queued = async () =>
    (await opened.services.database.tenant(tenant_id).collection(jobs).find({ kind: 'cdr.judge-again' })).map(({ payload, readers }) => [
      payload['rules'],
      payload['since'],
      readers,
    ]);
  const asked = (rules: string[]) => [rules, '2030-05-02T00:00:00.000Z', ['threat:read']];
  expect(await askForChanged(opened.services, versions('a'), signal)).toEqual(['one', 'two']);
  expect(await askForChanged(opened.services, versions('a'), signal)).toEqual([]);
  expect(await queued()).toEqual([asked(['one', 'two'])]);
  await askForChanged(opened.services, versions('b'), signal);
  expect((await queued()).sort((one, other) => String(other[0]).length - String(one[0]).length)).toEqual([
    asked(['one', 'two']),
    asked(['one']),
  ]);
});

it('gives a rule another version when it changes, and a correlation when one of its rules does', () => {
  const versionOf = (calls: Record<string, string>, timespan: string) =>
    [...rulesOf(calls, { type: 'temporal', rules: ['rule-a', 'rule-b'], timespan, generate: true }).all.values()].map(
      ({ version }) => version,
    );
  const first = versionOf({ 'rule-a': 'A', 'rule-b': 'B' }, '1h');
  const changedBy = (calls: Record<string, string>, timespan: string) =>
    versionOf(calls, timespan).map((version, n) => version !== first[n]);
  expect(changedBy({ 'rule-a': 'A', 'rule-b': 'B' }, '1h')).toEqual([false, false, false]);
  expect(changedBy({ 'rule-a': 'X', 'rule-b': 'B' }, '1h')).toEqual([true, false, true]);
  expect(changedBy({ 'rule-a': 'A', 'rule-b': 'B' }, '2h')).toEqual([false, false, true]);
});
