import { loadCatalog } from '../../catalog/catalog.js';
import { expectError } from '../contract/expect-error.js';
import { findings, ruleOf, type Page, type RuleItem } from '../support/posture.js';
import { ocsf } from '../support/reports.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let tenant: TestTenant;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  client = await tenant.as('viewer');
});
afterAll(() => world.close());

const list = async (query = '', reader = client) => (await reader.call<Page<RuleItem>>(`/api/v1/rules?${query}`)).body;
const CATALOG = loadCatalog().rules;

/** Of a filter's rules the first page and the number, which the catalog itself confirms. */
async function expectAll(query: string, selects: (rule: (typeof CATALOG)[number]) => boolean) {
  const page = await list(`page_size=200&${query}`);
  const wanted = CATALOG.filter(selects).map(({ rule_id }) => rule_id);
  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.length).toBeLessThan(CATALOG.length);
  expect(page.total).toBe(wanted.length);
  expect(page.items.map(({ rule_id }) => rule_id)).toEqual(wanted.sort().slice(0, 200));
}

describe('the list of rules', () => {
  it('holds the whole catalog, page by page, by id', async () => {
    const first = await list('page_size=200');
    expect(first).toMatchObject({ total: CATALOG.length, page: 1, page_size: 200, has_more: true });
    const ids = CATALOG.map(({ rule_id }) => rule_id).sort();
    expect(first.items.map(({ rule_id }) => rule_id)).toEqual(ids.slice(0, 200));
    const third = await list('page_size=30&page=3');
    expect(third.items.map(({ rule_id }) => rule_id)).toEqual(ids.slice(60, 90));
    const last = Math.ceil(CATALOG.length / 200);
    const end = await list(`page_size=200&page=${last}`);
    expect(end).toMatchObject({ total: CATALOG.length, has_more: false });
    expect(end.items.map(({ rule_id }) => rule_id)).toEqual(ids.slice((last - 1) * 200));
    expect(await list(`page=${last + 1}&page_size=200`)).toMatchObject({ items: [], total: CATALOG.length, has_more: false });
  });

  it('is filtered by engine, provider, severity, family, resource type, and all of them at once', async () => {
    await expectAll('engine=container-security', ({ engine }) => engine === 'container-security');
    await expectAll('engine=encryption,iam', ({ engine }) => engine === 'encryption' || engine === 'iam');
    await expectAll('provider=ibm', ({ provider }) => provider === 'ibm');
    await expectAll('severity=critical,info', ({ severity }) => severity === 'critical' || severity === 'info');
    await expectAll('family=public_access', ({ family }) => family === 'public_access');
    await expectAll('resource_type=aws_s3_bucket', ({ resource_types }) => resource_types.includes('aws_s3_bucket'));
    await expectAll(
      'provider=aws&severity=medium&family=encryption_at_rest&engine=encryption',
      ({ provider, severity, family, engine }) =>
        provider === 'aws' && severity === 'medium' && family === 'encryption_at_rest' && engine === 'encryption',
    );
  });

  it('finds a text in ids and titles in any case', async () => {
    const { items, total } = await list('q=AWS.EBS.Volume.Encryption');
    expect(items.map(({ rule_id }) => rule_id)).toContain('aws.ebs.volume.encryption_at_rest');
    expect(total).toBe(items.length);
    const [rule] = items;
    expect((await list(`q=${encodeURIComponent(rule!.title.toUpperCase())}`)).items.map(({ rule_id }) => rule_id)).toContain(rule!.rule_id);
    expect(await list('q=no-rule-says-this')).toMatchObject({ items: [], total: 0 });
  });

  it('names the rules that assess a framework, each with a control of it', async () => {
    const page = await list('framework=cis_aws_3_0_0&page_size=200');
    expect(page.total).toBeGreaterThan(0);
    expect(page.total).toBeLessThan(CATALOG.length);
    for (const { provider, controls } of page.items) {
      expect(provider).toBe('aws');
      expect(controls.map(({ framework }) => framework)).toContain('CIS Amazon Web Services Foundations Benchmark 3.0.0');
    }
    expect(await list('framework=none_such')).toMatchObject({ total: 0 });
  });

  it('has the rules of scanners after the catalog’s, under their own source', async () => {
    const analyst = await (await world.tenant()).as('analyst');
    await analyst.import(ocsf([{ rule: 'scanner_rule', resource: 'arn:aws:s3:::a' }]));
    const { items, total } = await list('q=scanner_rule', analyst);
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({ rule_id: 'scanner_rule', engine: 'check', family: null, parameters: null });
    expect(items[0]!.source).not.toBe('palisade');
    expect((await list('', analyst)).total).toBe(CATALOG.length + 1);
    expect((await list('source=palisade', analyst)).total).toBe(CATALOG.length);
    expect(await list(`source=${encodeURIComponent(items[0]!.source)}`, analyst)).toMatchObject({ total: 1 });
    expect(await list('q=scanner_rule')).toMatchObject({ total: 0 });
  });

  it.each(['colour=red', 'severity=dire', 'provider=ovh', 'enabled=perhaps', 'page=0', 'page_size=201'])('refuses %s', async (query) => {
    expectError(await client.call(`/api/v1/rules?${query}`), 'BAD_REQUEST', 'rules');
  });
});

describe('one rule', () => {
  it('says what it asks for, why, how to mend it, and which controls it assesses', async () => {
    const { rule_id } = await ruleOf(client, 'encryption_at_rest', 'aws_ebs_volume');
    const { status, body } = await client.call<RuleItem>(`/api/v1/rules/${rule_id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      rule_id,
      engine: 'encryption',
      severity: 'medium',
      provider: 'aws',
      resource_type: 'aws_ebs_volume',
      resource_types: ['aws_ebs_volume'],
      source: 'palisade',
      family: 'encryption_at_rest',
      attribute: 'encrypted',
      parameters: null,
      enabled: true,
      version: 1,
    });
    for (const text of ['title', 'description', 'rationale', 'module', 'subcategory', 'expression', 'expected'])
      expect({ text, value: body[text] }).toEqual({ text, value: expect.stringMatching(/\S/) as string });
    expect(JSON.stringify(body)).not.toMatch(/\{(resource|attribute|expected|name|port)\}/);
    const { steps, effort } = body['remediation'] as { steps: { action: string }[]; effort: string };
    expect(steps.length).toBeGreaterThan(0);
    expect(effort).toMatch(/\S/);
    expect((body['references'] as { url: string }[]).every(({ url }) => url.startsWith('https://'))).toBe(true);
    expect(body.controls).toContainEqual({
      framework: 'CIS Amazon Web Services Foundations Benchmark 3.0.0',
      control_id: '2.2.1',
      control_name: expect.stringMatching(/EBS/) as string,
    });
  });

  it('fills the variables of its texts in', async () => {
    const { rule_id } = (await list('family=open_port&resource_type=aws_security_group&q=open_port.ssh')).items[0]!;
    const { body } = await client.call<RuleItem>(`/api/v1/rules/${rule_id}`);
    expect(body.title).toContain('SSH (port 22/tcp)');
    expect(JSON.stringify(body)).not.toMatch(/\{[a-z]+\}/);
  });

  it('shows its parameters, if it has some, with the catalog’s values', async () => {
    const { rule_id } = await ruleOf(client, 'backup_retention', 'aws_db_instance');
    expect((await client.call<RuleItem>(`/api/v1/rules/${rule_id}`)).body.parameters).toEqual({ minimum: 7 });
  });

  it('that there is none of is not found', async () => {
    expectError(await client.call('/api/v1/rules/aws.none.such'), 'NOT_FOUND', 'rules');
    expectError(await client.call('/api/v1/rules/custom.none'), 'NOT_FOUND', 'rules');
  });

  it('stands in the graph beside the findings that it raises', async () => {
    const analyst = await (await world.tenant()).as('analyst');
    await analyst.import(ocsf([{ rule: 'scanner_rule', resource: 'arn:aws:s3:::a' }]));
    expect(await findings(analyst)).toHaveLength(1);
    const { data } = await analyst.graphql<{ check_findings: { items: { rule: RuleItem }[] }; rule: RuleItem; rules: { total: number } }>(
      `{ check_findings { items { rule { rule_id title } } }
         rule(rule_id: "aws.ebs.volume.encryption_at_rest") { rule_id source controls }
         rules(family: ["encryption_at_rest"], provider: [aws]) { total } }`,
    );
    expect(data!.check_findings.items[0]!.rule).toEqual({ rule_id: 'scanner_rule', title: 'Title of scanner_rule' });
    expect(data!.rule).toMatchObject({ rule_id: 'aws.ebs.volume.encryption_at_rest', source: 'palisade' });
    expect(data!.rules.total).toBe((await list('family=encryption_at_rest&provider=aws')).total);
  });
});
