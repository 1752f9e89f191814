import { loadFrameworks, rulesOfControl } from '../../catalog/assessed.js';
import { openWorld, type Client, type World } from '../support/world.js';
import { feed, type Sample } from '../contract/feeds.js';

let world: World;
let analyst: Client;
let viewer: Client;
let empty: Client;

const SAMPLE: Sample = {
  rule: 'open-bucket',
  title: 'Bucket is open to everybody',
  resource: 'arn:aws:s3:::across-bucket',
  name: 'across-bucket',
  severity: 'high',
  provider: 'aws',
  account: '111122223333',
  region: 'eu-west-1',
  type: 'aws_s3_bucket',
  labels: ['owner=payments', 'env=production'],
};
const VULNERABILITY: Sample = {
  ...SAMPLE,
  rule: 'CVE-2031-4711',
  title: 'Bucket library quuxzilla is vulnerable',
  severity: 'critical',
  region: 'secret-region',
};
const OTHER: Sample = {
  ...SAMPLE,
  rule: 'no-logs',
  title: 'Nothing is logged',
  resource: 'arn:aws:s3:::other',
  name: 'other',
  labels: [],
  severity: 'low',
};

beforeAll(async () => {
  world = await openWorld();
  const tenant = await world.tenant();
  [analyst, viewer] = [await tenant.as('analyst'), await tenant.as('viewer')];
  empty = await (await world.tenant()).as('analyst');
  await feed(analyst, 'check', [SAMPLE, OTHER]);
  await feed(analyst, 'vulnerability', [VULNERABILITY]);
});
afterAll(() => world.close());

type Body = Record<string, unknown> & { total: number; items: Record<string, unknown>[]; restrictedEngines: string[] };
const get = async (client: Client, path: string): Promise<Body> => {
  const { status, body, text } = await client.call<Body>(`/api/v1${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return body;
};
const SENSITIVE = /4711|vulnerable|secret-region/;

describe('what spans engines', () => {
  it('shows, counts, groups and finds nothing of engines that the role may not read', async () => {
    for (const path of [
      '/findings',
      '/findings/facets',
      '/findings/groups',
      '/findings/groups?group_by=cve',
      '/search?q=bucket',
      '/dashboard',
    ]) {
      const [all, some] = [await get(analyst, path), await get(viewer, path)];
      expect([path, some.restrictedEngines.includes('vulnerability'), all.restrictedEngines]).toEqual([path, true, []]);
      expect([path, SENSITIVE.test(JSON.stringify(some))]).toEqual([path, false]);
      if (path !== '/dashboard') expect([path, all.total - some.total >= 1]).toEqual([path, true]);
    }
    for (const path of ['/findings', '/findings/facets']) expect([path, (await get(viewer, path)).total]).toEqual([path, 2]);
    expect((await get(viewer, '/findings?engine=vulnerability')).total).toBe(0);
    expect((await get(viewer, '/search?q=4711')).total).toBe(0);
    expect((await get(analyst, '/search?q=4711&kind=finding')).total).toBe(0);
    expect((await get(analyst, '/search?q=vulnerable&kind=finding')).items).toMatchObject([{ kind: 'finding', engine: 'vulnerability' }]);
  });

  it('says how the estate stands, by what its reader may read', async () => {
    const [all, some, none] = [await get(analyst, '/dashboard'), await get(viewer, '/dashboard'), await get(empty, '/dashboard')];
    expect(all).toMatchObject({ critical_findings: 1, high_findings: 1, total_resources: 2, accounts_connected: 1, degradedEngines: [] });
    expect(all['severity_counts']).toMatchObject({
      low: 1,
      by_provider: { aws: { critical: 1, high: 1, low: 1 }, gcp: { critical: 0, high: 0 } },
    });
    expect(typeof all['last_scan']).toBe('string');
    // 100 × 2 / (2 + (10 + 5 + 0.5) / 10), without the critical one 100 × 2 / (2 + 0.55)
    expect([all['posture_score'], some['posture_score']]).toEqual([56, 78]);
    expect(some).toMatchObject({ critical_findings: 0, high_findings: 1 });
    expect(none).toMatchObject({ posture_score: 0, critical_findings: 0, total_resources: 0, accounts_connected: 0, last_scan: null });
    expect(none['compliance_summary']).toEqual({});
  });

  it('has the present day among the trends as soon as a run has ended', async () => {
    const own = await (await world.tenant()).as('analyst');
    expect((await get(own, '/dashboard/trends'))['days']).toEqual([]);
    await feed(own, 'check', [SAMPLE, OTHER]);
    const { critical, high, medium, low, info } = (await get(own, '/dashboard'))['severity_counts'] as Record<string, number>;
    const open = { critical, high, medium, low, info };
    expect((await get(own, '/dashboard/trends'))['days']).toMatchObject([{ open, new: open, posture_score: expect.any(Number) as number }]);
  });

  it('filters by what resources and rules say', async () => {
    const attributes = { arn: SAMPLE.resource, bucket: SAMPLE.name, tags: { owner: 'payments', environment: 'production' } };
    const provider = 'provider["registry.terraform.io/hashicorp/aws"]';
    const resource = { mode: 'managed', type: 'aws_s3_bucket', name: 'it', provider, instances: [{ attributes }] };
    const run = await analyst.import(
      { version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'across', resources: [resource] },
      { account_id: '111122223333', artifact: 'across' },
    );
    expect(run.state).toBe('COMPLETED');
    const totals = async (query: string) => (await get(analyst, `/findings?${query}`)).total;
    const all = await totals('');
    const own = await totals(`resource_uid=${encodeURIComponent(SAMPLE.resource)}`);
    expect(own).toBeGreaterThan(2);
    expect(await totals('owner=payments')).toBe(own);
    expect(await totals('not_owner=payments')).toBe(all - own);
    expect(await totals('owner=nobody')).toBe(0);
    expect(await totals('environment=production&engine=vulnerability')).toBe(1);
    expect(await totals('tag=owner')).toBe(own);
    const framework = await get(analyst, '/findings?framework=aws_fsbp&page_size=200');
    expect(framework.total).toBeGreaterThan(0);
    expect(await totals('not_framework=aws_fsbp')).toBe(all - framework.total);
    const { controls, providers } = loadFrameworks().find(({ framework_id }) => framework_id === 'aws_fsbp')!;
    const mapped = new Set(controls.flatMap((control) => rulesOfControl(control, providers)).map(({ rule_id }) => rule_id));
    const others = await get(analyst, '/findings?not_framework=aws_fsbp&page_size=200');
    expect(framework.items.filter(({ rule_id }) => !mapped.has(String(rule_id)))).toEqual([]);
    expect(others.items.filter(({ rule_id }) => mapped.has(String(rule_id)))).toEqual([]);
    const groups = await get(analyst, '/findings/groups?framework=aws_fsbp&page_size=200');
    expect(groups.items.reduce((sum, group) => sum + Number(group['total']), 0)).toBe(framework.total);
    expect((await get(analyst, '/findings/facets?framework=aws_fsbp')).total).toBe(framework.total);
    const { status, body } = await analyst.call('/api/v1/findings?environment=moon');
    expect([status, body['message']]).toEqual([400, 'environment must be one of production, staging, development, test']);
  });

  it('finds assets, findings, rules and controls in turns, each page going on where the one before ended', async () => {
    const whole = await get(analyst, '/search?q=bucket&page_size=200');
    const kinds = whole.items.slice(0, 4).map(({ kind }) => kind);
    expect(kinds).toEqual(['asset', 'finding', 'cve', 'rule', 'framework', 'control'].filter((kind) => kinds.includes(kind)));
    const paged: unknown[] = [];
    for (let page = 1; paged.length < 20; page++) paged.push(...(await get(analyst, `/search?q=bucket&page_size=3&page=${page}`)).items);
    expect(paged).toEqual(whole.items.slice(0, paged.length));
    expect((await get(empty, '/search?q=across-bucket')).total).toBe(0);
    expect(await get(analyst, '/search')).toMatchObject({ items: [], total: 0 });
    expect((await analyst.call('/api/v1/search?q=x')).status).toBe(400);
  });

  it('finds CVEs and frameworks by their names', async () => {
    expect(await get(analyst, '/search?q=cve-2031&kind=cve')).toMatchObject({
      total: 1,
      items: [{ id: 'CVE-2031-4711', severity: 'critical' }],
    });
    const restricted = { total: 0, restrictedEngines: ['vulnerability'] };
    expect(await get(viewer, '/search?q=cve-2031&kind=cve')).toMatchObject(restricted);
    expect((await get(viewer, '/search?q=pci&kind=framework')).items).toContainEqual(expect.objectContaining({ kind: 'framework' }));
  });

  it('corrects slips of a text that finds nothing, by words that the caller may read', async () => {
    expect(await get(analyst, '/search?q=bucket')).toMatchObject({ corrected: null });
    const found = await get(analyst, '/search?q=Acros-bukket');
    expect(found).toMatchObject({ corrected: 'across-bucket', total: (await get(analyst, '/search?q=across-bucket')).total });
    expect(found.items).toContainEqual(expect.objectContaining({ kind: 'asset', id: SAMPLE.resource }));
    expect(await get(analyst, '/search?q=quxzila')).toMatchObject({ corrected: null, total: 0 });
    expect(await get(analyst, '/search?q=quuxzila')).toMatchObject({ corrected: 'quuxzilla', items: [{ engine: 'vulnerability' }] });
    expect(await get(viewer, '/search?q=quuxzila')).toMatchObject({ corrected: null, total: 0 });
    expect(await get(analyst, '/search?q=cve-2031-4712')).toMatchObject({ corrected: null, total: 0 });
    expect(await get(analyst, '/search?q=ohter')).toMatchObject({ corrected: 'other' });
  });

  it('finds several words in any order, a slip in one of them included, and nothing of what the caller may not read', async () => {
    const found = { total: 1, items: [{ kind: 'finding', engine: 'vulnerability', title: VULNERABILITY.title }] };
    expect(await get(analyst, '/search?q=quuxzilla bucket vulnerable')).toMatchObject({ ...found, corrected: null });
    expect(await get(analyst, '/search?q=vulnerable quuxzila')).toMatchObject({ ...found, corrected: 'vulnerable quuxzilla' });
    expect((await get(analyst, '/search?q=quuxzilla logged')).total).toBe(0);
    expect(await get(viewer, '/search?q=quuxzilla bucket vulnerable')).toMatchObject({ total: 0, items: [] });
  });

  it('is a field of the graph, where a finding leads on to its resource and rule', async () => {
    const { data, errors } = await analyst.graphql<{ findings: { items: { asset: { resource_uid: string }; rule: { title: string } }[] } }>(
      '{ findings(severity: [high]) { total items { title asset { resource_uid resource_type } rule { rule_id title } } } dashboard { posture_score } }',
    );
    expect(errors).toBeUndefined();
    expect(data!.findings.items[0]!.asset.resource_uid).toBe(SAMPLE.resource);
  });
});
