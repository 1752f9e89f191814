import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { feed } from '../contract/feeds.js';
import { trivy } from '../support/reports.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';
import { idOf, importImage, sample, SEGMENTS, SENSITIVE, view } from './image.js';

let world: World;
let tenant: TestTenant;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  client = await tenant.as('analyst');
  await importImage(client);
});
afterAll(() => world.close());

describe('the detail', () => {
  it('shows a viewer the finding, and names the engines that the role may not read', async () => {
    const viewer = await tenant.as('viewer');
    const { body, status } = await view(viewer, 'check', (await idOf(client, 'check')).id);
    expect(status).toBe(200);
    expect(body.restrictedEngines).toEqual(SENSITIVE);
    expect(body.relatedFindings.restrictedEngines).toEqual(SENSITIVE);
    const readable = SEGMENTS.filter((segment) => !SENSITIVE.includes(segment));
    expect(body.degradedEngines).toEqual([]);
    expect(body.relatedFindings.perEngineAvailability).toEqual(Object.fromEntries(readable.map((segment) => [segment, true])));
    expect(new Set(body.relatedFindings.items.map(({ engine }) => engine))).toEqual(new Set(readable));
  });

  it('leaves suppressed findings out of what is related', async () => {
    const { id } = await idOf(client, 'secops');
    const set = (status: string) => client.call(`/api/v1/views/finding/secops/${id}/status`, { method: 'PATCH', body: { status } });
    const related = async () =>
      (await view(client, 'check', (await idOf(client, 'check')).id)).body.relatedFindings.items.map(({ engine }) => engine);
    expect(await related()).toContain('secops');
    expect((await set('SUPPRESSED')).status).toBe(200);
    expect(await related()).not.toContain('secops');
    expect((await view(client, 'secops', id)).body.finding.status).toBe('SUPPRESSED');
    await set('OPEN');
  });

  it('maps the controls that the report names, failed while the finding is open', async () => {
    const { id } = await idOf(client, 'check', 'rule_id=check_asff');
    const { body } = await view(client, 'check', id);
    expect(body.compliance).toEqual({
      available: true,
      controlMappings: [
        expect.objectContaining({
          framework: 'soc2_tsc',
          frameworkName: 'SOC 2 Trust Services Criteria 2017',
          controlId: 'CC6.1',
          status: 'FAIL',
        }),
        expect.objectContaining({
          framework: 'nist_800_53_r5',
          frameworkName: 'NIST SP 800-53 Rev 5',
          controlId: 'AC-2(1)',
          status: 'FAIL',
        }),
        expect.objectContaining({
          framework: 'cis_aws_1_5_0',
          controlId: '1.20',
          controlName: expect.any(String) as string,
          status: 'FAIL',
        }),
      ],
    });
    expect(body.finding).toMatchObject({
      soc2Criteria: ['CC6.1'],
      nistControls: ['AC-2(1)'],
      cisBenchmark: 'CIS Amazon Web Services Foundations Benchmark 1.5.0',
      cisSection: '1.20',
    });
    expect(body.remediation).toMatchObject({
      available: true,
      guidance: 'Mend check_asff.',
      referenceItems: [{ url: 'https://docs.example.com/asff', title: null }],
    });
    await client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', body: { status: 'RESOLVED' } });
    expect((await view(client, 'check', id)).body.compliance.controlMappings.map(({ status }) => status)).toEqual(['PASS', 'PASS', 'PASS']);
    expect((await view(client, 'secops', (await idOf(client, 'secops')).id)).body.compliance).toEqual({
      available: false,
      controlMappings: [],
    });
    await client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', body: { status: 'OPEN' } });
  });

  it('names the package of a vulnerability, whichever scanner found it', async () => {
    const ours = await (await world.tenant()).as('analyst');
    await ours.import(trivy('app:1', [{ id: 'CVE-2024-0001', pkg: 'openssl' }]));
    await ours.import(readFileSync(join(__dirname, '../../demo/reports/grype.json')));
    await feed(ours, 'vulnerability', [sample('CVE-2024-0003', 'high')]);
    const { items } = (
      await ours.call<{ items: { finding_id: string; rule_id: string }[] }>('/api/v1/vulnerability/findings?page_size=200')
    ).body;
    const nameless = await Promise.all(
      items.map(async ({ finding_id, rule_id }) => {
        const { engineExtensions } = (await view(ours, 'vulnerability', finding_id)).body as unknown as {
          engineExtensions: { package: { name: string | null; installed_version: string | null } };
        };
        return engineExtensions.package.name && engineExtensions.package.installed_version ? [] : [rule_id];
      }),
    );
    expect(nameless.flat()).toEqual([]);
  });
});
