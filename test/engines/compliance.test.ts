import { loadFrameworks } from '../../catalog/assessed.js';
import { expectError } from '../contract/expect-error.js';
import { control, controls, frameworks, percent, report, reportAnswer, type Control, type Report } from '../support/compliance.js';
import { plan, pod } from '../support/inventories.js';
import { results, type Page, type RuleItem, type RuleResultItem } from '../support/posture.js';
import { openWorld, type Client, type World } from '../support/world.js';

const [MINE, OTHER] = ['111122223333', '999999999999'];
const CIS = 'cis_aws_3_0_0';
/** Of several providers. */
const ISO = 'iso27001_2022';

let world: World;
let tenant: Awaited<ReturnType<World['tenant']>>;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  client = await tenant.as('analyst');
  await client.import(
    plan({
      'aws_ebs_volume.a': { encrypted: true },
      'aws_ebs_volume.b': { encrypted: false },
      'aws_db_instance.a': { storage_encrypted: true, publicly_accessible: false, backup_retention_period: '${var.days}' },
      'aws_kms_key.a': { enable_key_rotation: true },
    }),
    { account_id: MINE },
  );
  await client.import(plan({ 'aws_ebs_volume.c': { encrypted: true }, 'aws_efs_file_system.a': { encrypted: false } }), {
    account_id: OTHER,
  });
  await client.import(pod('web', { privileged: true }));
});
afterAll(() => world.close());

const TYPES = ['aws_ebs_volume', 'aws_db_instance', 'aws_kms_key', 'aws_efs_file_system', 'kubernetes_pod'];
const sorted = (list: Iterable<string>) => [...list].sort();

interface Judged {
  rule: RuleItem;
  results: RuleResultItem[];
}

/** The framework's rules for the resources of the estate. */
async function rulesOf(framework: string): Promise<RuleItem[]> {
  const rules: RuleItem[] = [];
  for (let page = 1, more = true; more; page++) {
    const filter = `resource_type=${TYPES.join(',')}&framework=${framework}&page_size=200&page=${page}`;
    const { body } = await client.call<Page<RuleItem>>(`/api/v1/rules?${filter}`);
    rules.push(...body.items);
    more = body.has_more;
  }
  return rules;
}

/** The same, each with its stored results. */
const judged = async (framework: string): Promise<Judged[]> =>
  Promise.all((await rulesOf(framework)).map(async (rule) => ({ rule, results: (await results(client, rule.rule_id)).items })));

/** What stored results say of the controls that the rules name, counted anew. */
function recount(of: Judged[], { framework_name, version }: Report, counts: (result: RuleResultItem) => boolean = () => true) {
  const name = version === '-' ? framework_name : `${framework_name} ${version}`;
  const [passed, failed] = [new Set<string>(), new Set<string>()];
  for (const { rule, results: all } of of) {
    const said = new Set(all.filter(counts).map(({ result }) => result));
    for (const { framework, control_id } of rule.controls) {
      if (framework !== name) continue;
      if (said.has('FAIL')) failed.add(control_id);
      if (said.has('PASS')) passed.add(control_id);
    }
  }
  for (const id of failed) passed.delete(id);
  return { passed: sorted(passed), failed: sorted(failed), score: percent(passed.size, failed.size) };
}
const having = (list: readonly Control[], status: string) =>
  sorted(list.filter((one) => one.status === status).map(({ control_id }) => control_id));

describe('the list of frameworks', () => {
  it('holds every framework of the catalog, page by page', async () => {
    const all = await frameworks(client);
    expect(all).toMatchObject({ total: loadFrameworks().length, has_more: false });
    expect(all.total).toBeGreaterThanOrEqual(78);
    expect(all.items.map(({ framework_id }) => framework_id)).toEqual(loadFrameworks().map(({ framework_id }) => framework_id));
    for (const { total_controls, mapped_controls, manual_controls, custom } of all.items) {
      expect(mapped_controls + manual_controls).toBeLessThanOrEqual(total_controls);
      expect(custom).toBe(false);
    }
    const { body } = await client.call<Page<{ framework_id: string }>>('/api/v1/compliance/frameworks?page_size=10&page=3');
    expect(body.items.map(({ framework_id }) => framework_id)).toEqual(all.items.slice(20, 30).map(({ framework_id }) => framework_id));
  });

  it('finds a name, tells the tenant’s own from the catalog’s, and refuses what it does not know', async () => {
    const found = await frameworks(client, 'q=CIS_AWS_3');
    expect(found.items.map(({ framework_id }) => framework_id)).toEqual([CIS]);
    expect(await frameworks(client, 'custom=true')).toMatchObject({ total: 0 });
    expect((await frameworks(client, 'custom=false')).total).toBe(loadFrameworks().length);
    for (const query of ['provider=ovh', 'colour=red', 'page_size=201'])
      expectError(await client.call(`/api/v1/compliance/frameworks?${query}`), 'BAD_REQUEST', 'compliance');
  });

  it('scores nothing before anything was evaluated', async () => {
    const stranger = await (await world.tenant()).as('viewer');
    for (const { score, assessed_controls, pass_count, fail_count, by_provider, last_evaluated } of (await frameworks(stranger)).items)
      expect({ score, assessed_controls, pass_count, fail_count, by_provider, last_evaluated }).toEqual({
        score: 0,
        assessed_controls: 0,
        pass_count: 0,
        fail_count: 0,
        by_provider: {},
        last_evaluated: null,
      });
    expect((await report(stranger, CIS)).trend).toEqual([]);
    expect(new Set((await controls(stranger, CIS)).map(({ status }) => status))).toEqual(new Set(['NOT_ASSESSED', 'MANUAL']));
  });

  it('says of each framework what its report says', async () => {
    const { items } = await frameworks(client);
    for (const id of [CIS, ISO]) {
      const { trend, ...said } = await report(client, id);
      expect(items.find(({ framework_id }) => framework_id === id)).toMatchObject(said);
      expect(trend).toHaveLength(1);
    }
  });
});

describe('the report of a framework', () => {
  it.each([CIS, ISO])('%s: passed / (passed + failed) of what the stored results say, and of nothing else', async (id) => {
    const said = await report(client, id);
    const { passed, failed, score } = recount(await judged(id), said);
    expect(passed.length).toBeGreaterThan(0);
    expect(failed.length).toBeGreaterThan(0);
    expect(said).toMatchObject({ score, pass_count: passed.length, fail_count: failed.length });
    const all = await controls(client, id);
    expect(all).toHaveLength(said.total_controls);
    expect(having(all, 'PASS')).toEqual(passed);
    expect(having(all, 'FAIL')).toEqual(failed);
    expect(having(all, 'MANUAL')).toHaveLength(said.manual_controls);
    expect(passed.length + failed.length + having(all, 'MANUAL').length + having(all, 'NOT_ASSESSED').length).toBe(said.total_controls);
  });

  it('covers one provider or one account where it is asked to', async () => {
    const said = await report(client, ISO);
    const all = await judged(ISO);
    for (const provider of ['aws', 'k8s']) {
      const { passed, failed, score } = recount(all, said, (result) => result.provider === provider);
      const counts = { score, pass_count: passed.length, fail_count: failed.length };
      expect(await report(client, ISO, `provider=${provider}`)).toMatchObject(counts);
      expect(said.by_provider[provider]).toMatchObject(counts);
    }
    expect(Object.keys(said.by_provider).sort()).toEqual(['aws', 'k8s']);
    for (const account of [MINE, OTHER]) {
      const { passed, failed, score } = recount(all, said, (result) => result.account_id === account);
      const page = await report(client, ISO, `account_id=${account}`);
      expect(page).toMatchObject({ score, pass_count: passed.length, fail_count: failed.length, trend: [] });
      expect(having(await controls(client, ISO, `account_id=${account}`), 'FAIL')).toEqual(failed);
    }
    expect(await report(client, ISO, 'provider=gcp')).toMatchObject({ score: 0, pass_count: 0, fail_count: 0 });
  });

  it.each([
    ['an analyst, over everything', 'analyst', ''],
    ['an analyst, over an account', 'analyst', `account_id=${MINE}`],
    ['a viewer, without the engines that a viewer may not read', 'viewer', ''],
  ] as const)('counts for %s the open findings of its rules by severity and provider', async (_, role, query) => {
    const reader = role === 'analyst' ? client : await tenant.as(role);
    const rules = new Set((await rulesOf(ISO)).map(({ rule_id }) => rule_id));
    type Item = { rule_id: string; provider: string; severity: string };
    const { body } = await reader.call<Page<Item>>(`/api/v1/findings?page_size=200&${query}`);
    expect(body.has_more).toBe(false);
    const of = (provider: string, severity: string) =>
      body.items.filter((item) => rules.has(item.rule_id) && item.provider === provider && item.severity === severity).length;
    const { by_provider } = await report(reader, ISO, query);
    expect(Object.keys(by_provider)).toContain('aws');
    for (const [provider, { score: _score, pass_count: _passed, fail_count: _failed, ...counts }] of Object.entries(by_provider))
      expect([provider, counts]).toEqual([
        provider,
        Object.fromEntries(['critical', 'high', 'medium', 'low', 'info'].map((severity) => [severity, of(provider, severity)])),
      ]);
    expect(Object.values(by_provider).some(({ high, medium }) => high + medium > 0)).toBe(true);
  });

  it('counts only the providers that the framework is about', async () => {
    expect(Object.keys((await report(client, CIS)).by_provider)).toEqual(['aws']);
    expect(await report(client, CIS, 'provider=k8s')).toMatchObject({ score: 0 });
  });

  it('keeps one score a day, the last one', async () => {
    const own = await (await world.tenant()).as('analyst');
    await own.import(plan({ 'aws_ebs_volume.a': { encrypted: false }, 'aws_kms_key.a': { enable_key_rotation: true } }));
    const before = await report(own, CIS);
    expect(before.trend).toEqual([{ date: new Date().toISOString().slice(0, 10), score: before.score }]);
    await own.import(plan({ 'aws_ebs_volume.a': { encrypted: true }, 'aws_kms_key.a': { enable_key_rotation: true } }));
    const after = await report(own, CIS);
    expect(after.score).toBeGreaterThan(before.score!);
    expect(after.trend).toEqual([{ date: before.trend[0]!.date, score: after.score }]);
    expect((await report(own, CIS, 'provider=aws')).trend).toEqual(after.trend);
    expect((await control(own, CIS, '2.2.1')).history).toEqual([{ date: before.trend[0]!.date, status: 'PASS' }]);
  });

  it('is not found of a framework that there is none of', async () => {
    expectError(await reportAnswer(client, 'none_such'), 'NOT_FOUND', 'compliance');
    expectError(await client.call('/api/v1/compliance/framework/none_such/controls'), 'NOT_FOUND', 'compliance');
  });
});

describe('results that tell nothing', () => {
  it('leave a control not assessed: not applicable, and not evaluated', async () => {
    const own = await (await world.tenant()).as('analyst');
    await own.import(
      plan({ 'aws_db_instance.a': { replicate_source_db: 'orders' }, 'aws_ebs_volume.a': { encrypted: '${var.encrypted}' } }),
    );
    expect(await control(own, CIS, '2.2.1')).toMatchObject({ status: 'NOT_ASSESSED', not_evaluated_results: 1, passed_results: 0 });
    expect(await control(own, CIS, '2.3.1')).toMatchObject({ status: 'NOT_ASSESSED', not_evaluated_results: 0, passed_results: 0 });
    const { passed, failed } = { passed: await controls(own, CIS, 'status=PASS'), failed: await controls(own, CIS, 'status=FAIL') };
    expect(await report(own, CIS)).toMatchObject({ pass_count: passed.length, fail_count: failed.length });
  });
});
