import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trivyMisconfigurations, feed, type Sample } from '../contract/feeds.js';
import { findingEngines } from '../contract/registry-facts.js';
import { trivy, sarif } from '../support/reports.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

/** The specification's blocks: name -> fields. */
const BLOCKS = {
  detail: 'compliance degradedEngines engineExtensions finding header relatedFindings remediation resourceContext restrictedEngines',
  header:
    'accountId cisBenchmark cisSection description engine findingData findingId firstSeenAt lastSeenAt mitreTactics mitreTechniques module module_label nistControls provider rationale region resourceName resourceType resourceUid riskScore ruleId ruleType severity soc2Criteria standardColumns status subcategory subcategory_label ticketId ticketUrl title',
  compliance: 'available controlMappings',
  remediation: 'available estimatedEffort guidance markdown referenceItems runbook_url slaPriority steps',
  related: 'available items perEngineAvailability restrictedEngines',
  columns: 'account_id finding_id first_seen_at last_seen_at provider region resource_name resource_type resource_uid risk_score rule_id severity status title',
} as const;
/** Fields beyond those of the specification, which says that it does not show them all. */
const OURS = { header: ['regressedAt', 'scanRunId', 'version'] };

interface Header extends Record<string, unknown> {
  findingId: string;
  engine: string;
  severity: string;
  status: string;
  version: number;
  standardColumns: Record<string, unknown>;
  findingData: Record<string, unknown>;
}
interface Related {
  engine: string;
  findingId: string;
  severity: string;
  ruleId: string;
  title: string;
  status: string;
}
interface Detail {
  finding: Header;
  header: Header;
  relatedFindings: { available: boolean; items: Related[]; perEngineAvailability: Record<string, boolean>; restrictedEngines: string[] };
  compliance: { available: boolean; controlMappings: { framework: string; controlId: string; controlName: string | null; status: string }[] };
  remediation: { available: boolean; steps: { order: number; action: string; detail: string | null }[]; referenceItems: { url: string }[]; slaPriority: string; guidance: string | null };
  resourceContext: null;
  engineExtensions: Record<string, unknown>;
  degradedEngines: string[];
  restrictedEngines: string[];
}

/** The image that four scanners speak of under one name. */
const IMAGE = '111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop:1';
const SEGMENTS = findingEngines.map(({ viewSegment }) => viewSegment);
const SENSITIVE = ['container-security', 'secops', 'vulnerability'];

const sample = (rule: string, severity: Sample['severity']): Sample => ({ rule, title: `Title of ${rule}`, resource: IMAGE, name: 'shop', severity, provider: 'aws', account: '111122223333', region: 'eu-west-1', type: 'aws_ecr_repository' });
const asff = (rule: string) => ({
  Findings: [
    {
      SchemaVersion: '2018-10-08',
      Id: `arn:aws:securityhub:eu-west-1:111122223333:finding/${rule}`,
      ProductArn: 'arn:aws:securityhub:eu-west-1::product/aws/securityhub',
      ProductName: 'Security Hub',
      GeneratorId: rule,
      AwsAccountId: '111122223333',
      Region: 'eu-west-1',
      Types: ['Software and Configuration Checks/Industry and Regulatory Standards'],
      Title: `Title of ${rule}`,
      Description: `What ${rule} asks for.`,
      Severity: { Label: 'LOW' },
      Resources: [{ Type: 'AwsEcrRepository', Id: IMAGE, Region: 'eu-west-1' }],
      Compliance: { Status: 'FAILED', RelatedRequirements: ['SOC2 cc_6_1', 'NIST.800-53.r5 AC-2(1)', 'CIS-1.5 1.20'] },
      Remediation: { Recommendation: { Text: `Mend ${rule}.`, Url: 'https://docs.example.com/asff' } },
      RecordState: 'ACTIVE',
      Workflow: { Status: 'NEW' },
    },
  ],
});

let world: World;
let tenant: TestTenant;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  client = await tenant.as('analyst');
  await feed(client, 'check', [sample('check_ocsf', 'high')]);
  await client.import(asff('check_asff'));
  await client.import(trivy(IMAGE, [{ id: 'CVE-2024-0001', pkg: 'openssl', cvss: 9.8 }]));
  await client.import(trivyMisconfigurations(IMAGE, 'container_image', [sample('DS002', 'medium')]), { account_id: '111122223333' });
  await client.import(sarif('semgrep', [{ rule: 'injection', file: 'app.py', line: 3 }]), { artifact: IMAGE });
}, 60_000);
afterAll(() => world.close());

const idOf = async (segment: string, query = '') => {
  const { prefix } = findingEngines.find(({ viewSegment }) => viewSegment === segment)!;
  const { items } = (await client.call<{ items: ({ finding_id: string } & Record<string, unknown>)[] }>(`/api/v1/${prefix}/findings?${query}`)).body;
  return { id: items[0]!.finding_id, item: items[0]! };
};
const view = (reader: Client, segment: string, id: string) => reader.call<Detail>(`/api/v1/views/finding/${segment}/${id}`);
const keys = (value: object) => Object.keys(value).sort();
const fields = (block: keyof typeof BLOCKS, more: readonly string[] = []) => [...BLOCKS[block].split(' '), ...more].sort();

describe.each(SEGMENTS)('the detail of a %s finding', (segment) => {
  let detail: Detail;
  let item: Record<string, unknown>;
  let id: string;
  beforeAll(async () => {
    ({ id, item } = await idOf(segment));
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
    expect(finding).toMatchObject({ findingId: id, engine: segment, ruleId: item['rule_id'], severity: item['severity'], status: 'OPEN', riskScore: item['risk_score'], resourceUid: IMAGE, resourceType: item['resource_type'], provider: item['provider'], accountId: item['account_id'], region: item['region'], scanRunId: item['scan_run_id'], version: 1, ticketId: null, ticketUrl: null });
    expect(['config', 'cdr', 'threat']).toContain(finding['ruleType']);
    for (const text of ['module', 'module_label', 'subcategory', 'subcategory_label', 'title']) expect(finding[text]).toEqual(expect.stringMatching(/\S/));
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
    expect(items).toHaveLength(4);
    expect(new Set([segment, ...items.map(({ engine }) => engine)])).toEqual(new Set(SEGMENTS));
    const order = ['critical', 'high', 'medium', 'low', 'info'];
    const ranks = items.map(({ severity }) => order.indexOf(severity));
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    for (const related of items) expect(keys(related)).toEqual(['engine', 'findingId', 'ruleId', 'severity', 'status', 'title']);
  });

  it('says how to fix it, within the window of its severity', () => {
    const { remediation, finding } = detail;
    const windows: Record<string, string> = { critical: '7 days', high: '30 days', medium: '90 days', low: 'next maintenance cycle', info: 'none' };
    expect(remediation.slaPriority).toBe(windows[finding.severity]);
    expect(remediation.steps.map(({ order }) => order)).toEqual(remediation.steps.map((_, n) => n + 1));
    expect(remediation.available).toBe(remediation.steps.length > 0);
  });

  it('has an ETag of its version, which a change moves on and If-Match takes', async () => {
    const { headers, body } = await view(client, segment, id);
    expect(headers.get('etag')).toBe(`"${body.finding.version}"`);
    const path = `/api/v1/views/finding/${segment}/${id}/status`;
    const moved = await client.call(path, { method: 'PATCH', body: { status: 'IN_PROGRESS' }, headers: { 'if-match': headers.get('etag')! } });
    expect(moved.status).toBe(200);
    expect(moved.headers.get('etag')).toBe(`"${body.finding.version + 1}"`);
    const after = await view(client, segment, id);
    expect(after.headers.get('etag')).toBe(moved.headers.get('etag'));
    expect(after.body.finding.status).toBe('IN_PROGRESS');
    await client.call(path, { method: 'PATCH', body: { status: 'OPEN' } });
  });
});

describe('the detail', () => {
  it('shows a viewer the finding, and names the engines that the role may not read', async () => {
    const viewer = await tenant.as('viewer');
    const { body, status } = await view(viewer, 'check', (await idOf('check')).id);
    expect(status).toBe(200);
    expect([...body.restrictedEngines].sort()).toEqual(SENSITIVE);
    expect([...body.relatedFindings.restrictedEngines].sort()).toEqual(SENSITIVE);
    expect(body.degradedEngines).toEqual([]);
    expect(body.relatedFindings.perEngineAvailability).toEqual({ check: true });
    expect(new Set(body.relatedFindings.items.map(({ engine }) => engine))).toEqual(new Set(['check']));
  });

  it('leaves suppressed findings out of what is related', async () => {
    const { id } = await idOf('secops');
    const set = (status: string) => client.call(`/api/v1/views/finding/secops/${id}/status`, { method: 'PATCH', body: { status } });
    const related = async () => (await view(client, 'check', (await idOf('check')).id)).body.relatedFindings.items.map(({ engine }) => engine);
    expect(await related()).toContain('secops');
    expect((await set('SUPPRESSED')).status).toBe(200);
    expect(await related()).not.toContain('secops');
    expect((await view(client, 'secops', id)).body.finding.status).toBe('SUPPRESSED');
    await set('OPEN');
  });

  it('maps the controls that the report names, failed while the finding is open', async () => {
    const { id } = await idOf('check', 'rule_id=check_asff');
    const { body } = await view(client, 'check', id);
    expect(body.compliance).toEqual({
      available: true,
      controlMappings: [
        { framework: 'SOC2', controlId: 'cc_6_1', controlName: null, status: 'FAIL' },
        { framework: 'NIST.800-53.r5', controlId: 'AC-2(1)', controlName: null, status: 'FAIL' },
        { framework: 'CIS-1.5', controlId: '1.20', controlName: null, status: 'FAIL' },
      ],
    });
    expect(body.finding).toMatchObject({ soc2Criteria: ['cc_6_1'], nistControls: ['AC-2(1)'], cisBenchmark: 'CIS-1.5', cisSection: '1.20' });
    expect(body.remediation).toMatchObject({ available: true, guidance: 'Mend check_asff.', referenceItems: [{ url: 'https://docs.example.com/asff', title: null }] });
    await client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', body: { status: 'RESOLVED' } });
    expect((await view(client, 'check', id)).body.compliance.controlMappings.map(({ status }) => status)).toEqual(['PASS', 'PASS', 'PASS']);
    expect((await view(client, 'secops', (await idOf('secops')).id)).body.compliance).toEqual({ available: false, controlMappings: [] });
    await client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', body: { status: 'OPEN' } });
  });

  it('names the package of a vulnerability, whichever scanner found it', async () => {
    const ours = await (await world.tenant()).as('analyst');
    await ours.import(trivy('app:1', [{ id: 'CVE-2024-0001', pkg: 'openssl' }]));
    await ours.import(readFileSync(join(__dirname, '../../demo/reports/grype.json')));
    await feed(ours, 'vulnerability', [sample('CVE-2024-0003', 'high')]);
    const { items } = (await ours.call<{ items: { finding_id: string; rule_id: string }[] }>('/api/v1/vulnerability/findings?page_size=200')).body;
    const nameless = await Promise.all(
      items.map(async ({ finding_id, rule_id }) => {
        const { engineExtensions } = (await view(ours, 'vulnerability', finding_id)).body as unknown as { engineExtensions: { package: { name: string | null; installed_version: string | null } } };
        return engineExtensions.package.name && engineExtensions.package.installed_version ? [] : [rule_id];
      }),
    );
    expect(nameless.flat()).toEqual([]);
  });
});
