import { feed, trivyMisconfigurations, type Sample } from '../contract/feeds.js';
import { permissionsOf } from '../../schema/permissions.js';
import { findingEngines } from '../contract/registry-facts.js';
import { sarif, trivy } from '../support/reports.js';
import type { Answer, Client } from '../support/world.js';

/** The head of a detail. */
export interface Header extends Record<string, unknown> {
  findingId: string;
  engine: string;
  severity: string;
  status: string;
  version: number;
  standardColumns: Record<string, unknown>;
  findingData: Record<string, unknown>;
}
export interface Related {
  engine: string;
  findingId: string;
  severity: string;
  ruleId: string;
  title: string;
  status: string;
}
/** The universal detail view of a finding. */
export interface Detail {
  finding: Header;
  header: Header;
  relatedFindings: { available: boolean; items: Related[]; perEngineAvailability: Record<string, boolean>; restrictedEngines: string[] };
  compliance: {
    available: boolean;
    controlMappings: { framework: string; controlId: string; controlName: string | null; status: string }[];
  };
  remediation: {
    available: boolean;
    steps: { order: number; action: string; detail: string | null }[];
    referenceItems: { url: string }[];
    slaPriority: string;
    guidance: string | null;
  };
  resourceContext: null;
  engineExtensions: Record<string, unknown>;
  degradedEngines: string[];
  restrictedEngines: string[];
}

/** The image that four scanners speak of under one name. */
export const IMAGE = '111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop:1';
export const SEGMENTS = findingEngines.map(({ viewSegment }) => viewSegment);
export const SENSITIVE = findingEngines
  .filter(({ permission }) => !permissionsOf('viewer').includes(permission))
  .map(({ viewSegment }) => viewSegment);
/** Engines whose findings on the image come from a scanner's report; the others are fed directly. */
const REPORTED = ['check', 'vulnerability', 'container-security', 'secops'];

export const sample = (rule: string, severity: Sample['severity']): Sample => ({
  rule,
  title: `Title of ${rule}`,
  resource: IMAGE,
  name: 'shop',
  severity,
  provider: 'aws',
  account: '111122223333',
  region: 'eu-west-1',
  type: 'aws_ecr_repository',
});
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

/** Imports what five scanners report of the image, and gives every other engine a finding on it. */
export async function importImage(client: Client): Promise<void> {
  await feed(client, 'check', [sample('check_ocsf', 'high')]);
  await client.import(asff('check_asff'));
  await client.import(trivy(IMAGE, [{ id: 'CVE-2024-0001', pkg: 'openssl', cvss: 9.8 }]));
  await client.import(trivyMisconfigurations(IMAGE, 'container_image', [sample('DS002', 'medium')]), { account_id: '111122223333' });
  await client.import(sarif('semgrep', [{ rule: 'injection', file: 'app.py', line: 3 }]), { artifact: IMAGE });
  for (const segment of SEGMENTS) if (!REPORTED.includes(segment)) await feed(client, segment, [sample(`rule_of_${segment}`, 'low')]);
}

/** The first finding of an engine. */
export const idOf = async (client: Client, segment: string, query = '') => {
  const { prefix } = findingEngines.find(({ viewSegment }) => viewSegment === segment)!;
  const { items } = (
    await client.call<{ items: ({ finding_id: string } & Record<string, unknown>)[] }>(`/api/v1/${prefix}/findings?${query}`)
  ).body;
  return { id: items[0]!.finding_id, item: items[0]! };
};
export const view = (reader: Client, segment: string, id: string): Promise<Answer<Detail>> =>
  reader.call<Detail>(`/api/v1/views/finding/${segment}/${id}`);
