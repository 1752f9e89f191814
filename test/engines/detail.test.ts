import { openWorld, type Client, type World } from '../support/world.js';
import { sarif } from '../support/reports.js';
import { idOf, IMAGE, importImage, SEGMENTS, view, type Detail } from './image.js';

/** The specification's blocks: name -> fields. */
const BLOCKS = {
  detail: 'compliance degradedEngines engineExtensions finding header relatedFindings remediation resourceContext restrictedEngines',
  header:
    'accountId cisBenchmark cisSection description engine findingData findingId firstSeenAt lastSeenAt mitreTactics mitreTechniques module module_label nistControls provider rationale region resourceName resourceType resourceUid riskScore ruleId ruleType severity soc2Criteria standardColumns status subcategory subcategory_label ticketId ticketUrl title',
  compliance: 'available controlMappings',
  remediation: 'available estimatedEffort guidance markdown referenceItems runbook_url slaPriority steps',
  related: 'available items perEngineAvailability restrictedEngines',
  columns:
    'account_id finding_id first_seen_at last_seen_at provider region resource_name resource_type resource_uid risk_score rule_id severity status title',
} as const;
/** Fields beyond those of the specification, which says that it does not show them all. */
const OURS = { header: ['assignee', 'dueAt', 'regressedAt', 'scanRunId', 'version'] };

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  client = await (await world.tenant()).as('analyst');
  await importImage(client);
});
afterAll(() => world.close());

const keys = (value: object) => Object.keys(value).sort();
const fields = (block: keyof typeof BLOCKS, more: readonly string[] = []) => [...BLOCKS[block].split(' '), ...more].sort();

describe.each(SEGMENTS)('the detail of a %s finding', (segment) => {
  let detail: Detail;
  let item: Record<string, unknown>;
  let id: string;
  beforeAll(async () => {
    ({ id, item } = await idOf(client, segment));
    detail = (await view(client, segment, id)).body;
  });

  it('has every block and field of the specification', () => {
    expect(keys(detail)).toEqual(fields('detail'));
    expect(keys(detail.finding)).toEqual(fields('header', OURS.header));
    expect(keys(detail.compliance)).toEqual(fields('compliance'));
    expect(keys(detail.remediation)).toEqual(fields('remediation'));
    expect(keys(detail.relatedFindings)).toEqual(fields('related'));
    expect(detail.header).toEqual(detail.finding);
    expect(detail).toMatchObject({ resourceContext: null, degradedEngines: [], restrictedEngines: [] });
  });

  it('echoes the fourteen standard columns of the list', () => {
    const { standardColumns } = detail.finding;
    expect(keys(standardColumns)).toEqual(fields('columns'));
    expect(keys(standardColumns)).toHaveLength(14);
    expect(item).toMatchObject(standardColumns);
  });

  it('says in the header what the list says', () => {
    const { finding } = detail;
    expect(finding).toMatchObject({
      findingId: id,
      engine: segment,
      ruleId: item['rule_id'],
      severity: item['severity'],
      status: 'OPEN',
      riskScore: item['risk_score'],
      resourceUid: IMAGE,
      resourceType: item['resource_type'],
      provider: item['provider'],
      accountId: item['account_id'],
      region: item['region'],
      scanRunId: item['scan_run_id'],
      version: 1,
      ticketId: null,
      ticketUrl: null,
    });
    expect(['config', 'cdr', 'threat']).toContain(finding['ruleType']);
    for (const text of ['module', 'module_label', 'subcategory', 'subcategory_label', 'title'])
      expect(finding[text]).toEqual(expect.stringMatching(/\S/));
  });

  it('carries evidence, and an extension of the engine with values from it', () => {
    expect(keys(detail.finding.findingData).length).toBeGreaterThan(0);
    const [extension] = Object.values(detail.engineExtensions) as Record<string, unknown>[];
    expect(Object.values(extension!).filter((value) => value !== null)).not.toEqual([]);
    expect(JSON.stringify(detail)).not.toMatch(/"(credential_ref|credential_type|tenant_id|_id)"/);
  });

  it('names the findings of every other engine on the resource, worst first, without itself', () => {
    const { available, items, perEngineAvailability, restrictedEngines } = detail.relatedFindings;
    expect(available).toBe(true);
    expect(restrictedEngines).toEqual([]);
    expect(perEngineAvailability).toEqual(Object.fromEntries(SEGMENTS.map((name) => [name, true])));
    expect(items.map(({ findingId }) => findingId)).not.toContain(id);
    // one of each engine, and a second posture check
    expect(items).toHaveLength(SEGMENTS.length);
    expect(new Set([segment, ...items.map(({ engine }) => engine)])).toEqual(new Set(SEGMENTS));
    const order = ['critical', 'high', 'medium', 'low', 'info'];
    const ranks = items.map(({ severity }) => order.indexOf(severity));
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    for (const related of items) expect(keys(related)).toEqual(['engine', 'findingId', 'ruleId', 'severity', 'status', 'title']);
  });

  it('says how to fix it, within the window of its severity', () => {
    const { remediation, finding } = detail;
    const windows: Record<string, string> = {
      critical: '7 days',
      high: '30 days',
      medium: '90 days',
      low: 'next maintenance cycle',
      info: 'none',
    };
    expect(remediation.slaPriority).toBe(windows[finding.severity]);
    expect(remediation.steps.map(({ order }) => order)).toEqual(remediation.steps.map((_, n) => n + 1));
    expect(remediation.available).toBe(remediation.steps.length > 0);
  });

  it('has an ETag of its version, which a change moves on and If-Match takes', async () => {
    const { headers, body } = await view(client, segment, id);
    expect(headers.get('etag')).toBe(`"${body.finding.version}"`);
    const path = `/api/v1/views/finding/${segment}/${id}/status`;
    const moved = await client.call(path, {
      method: 'PATCH',
      body: { status: 'IN_PROGRESS' },
      headers: { 'if-match': headers.get('etag')! },
    });
    expect(moved.status).toBe(200);
    expect(moved.headers.get('etag')).toBe(`"${body.finding.version + 1}"`);
    const after = await view(client, segment, id);
    expect(after.headers.get('etag')).toBe(moved.headers.get('etag'));
    expect(after.body.finding.status).toBe('IN_PROGRESS');
    await client.call(path, { method: 'PATCH', body: { status: 'OPEN' } });
  });
});

it('guidance in Markdown comes from the help of the rule that a SARIF report brings, and is null where there is none', async () => {
  const own = await (await world.tenant()).as('analyst');
  const report = sarif('semgrep', [
    { rule: 'marked', file: 'a.py', line: 1 },
    { rule: 'plain', file: 'a.py', line: 2 },
  ]);
  const [run] = report['runs'] as [{ tool: { driver: { rules: Record<string, unknown>[] } } }];
  run.tool.driver.rules[0]!['help'] = { text: 'Bind it.', markdown: '**Bind** it:\n\n- once' };
  await own.import(report, { artifact: 'shop' });
  const { body } = await own.call<{ items: { finding_id: string }[] }>('/api/v1/secops/findings?sort=first_seen_at');
  const told = await Promise.all(body.items.map(async ({ finding_id }) => (await view(own, 'secops', finding_id)).body));
  expect(Object.fromEntries(told.map(({ finding, remediation }) => [finding['ruleId'], remediation]))).toMatchObject({
    marked: { available: true, guidance: 'Bind it.', markdown: '**Bind** it:\n\n- once' },
    plain: { markdown: null },
  });
});
