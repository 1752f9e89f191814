import type { ProvenEntry } from '../../kit/audit/entries.js';
import { toOcsf } from '../../kit/audit/ocsf.js';
import { FINDING_STATUSES, SEVERITIES } from '../../schema/model.js';
import type { ExportFormat, Row } from '../../subgraphs/reporting/formats/format.js';
import { ocsf } from '../../subgraphs/reporting/formats/ocsf.js';
import { oscal } from '../../subgraphs/reporting/formats/oscal.js';
import { sarif } from '../../subgraphs/reporting/formats/sarif.js';
import { vex } from '../../subgraphs/reporting/formats/vex.js';
import { breachesOf } from './official-schemas.js';

const full: Row = {
  ...{ finding_id: 'f1', engine: 'vulnerability', rule_id: 'CVE-2030-0001', title: 'A flaw', description: 'What it is.', risk_score: 80 },
  ...{ severity: 'high', status: 'OPEN', rule_type: 'config', provider: 'aws', account_id: '1', region: 'eu-west-1' },
  ...{ resource_type: 'container_image', resource_uid: 'registry/app@sha256:1', resource_name: 'app', scan_run_id: 'r' },
  ...{ first_seen_at: '2030-01-01T00:00:00.000Z', last_seen_at: '2030-01-31T00:00:00.000Z', due_at: '2030-02-28T00:00:00.000Z' },
  ...{ cve: 'CVE-2030-0001', cvss: 8.1, epss: 0.2, known_exploited: true, assignee: 'ada@acme.example' },
  ...{ references: [{ url: 'https://x.example/1' }], remediation: { guidance: 'Update.' } },
  ...{ controls: [{ framework: 'cis_aws_1_4_0', control_id: '1.1' }], mitre_techniques: ['T1078'] },
  ...{
    evidence: {
      package_name: 'openssl',
      installed_version: '1.1',
      fixed_version: '1.2',
      purl: 'pkg:deb/openssl@1.1',
      file: 'a b.tf',
      line: 3,
    },
  },
};
/** What an optional field of a finding may lack. */
const bare: Row = {
  ...{ ...full, description: null, risk_score: 0, account_id: null, region: null, resource_name: null, due_at: null, assignee: null },
  ...{ cvss: null, epss: null, known_exploited: null, references: [], remediation: null, controls: [], mitre_techniques: [], evidence: {} },
};

/** Findings of every kind, severity and status, with all that may be told of one and with as little as there may be. */
const ROWS: readonly Row[] = [full, bare]
  .flatMap((row) => [row, { ...row, cve: null }, { ...row, cve: null, rule_type: 'threat' }])
  .flatMap((row) => SEVERITIES.map((severity) => ({ ...row, severity })))
  .flatMap((row) => FINDING_STATUSES.map((status) => ({ ...row, status })))
  .map((row, n) => ({ ...row, finding_id: `f${n}` }));

const framework: Row = {
  ...{ framework_id: 'f', framework_name: 'A framework', version: '1', score: 50, pass_count: 1, fail_count: 1, total_controls: 4 },
  last_evaluated: '2030-01-30T00:00:00.000Z',
};
const control: Row = { control_id: 'AC-3(4)', title: 'Öffentlich', status: 'PASS', rule_count: 2, passed_results: 1, failed_results: 0 };
const attestation = { author: 'ada@acme.example', evidence: 'A paper,\nof two lines', created_at: '2030-01-29T00:00:00.000Z' };
/** Controls of every spelling and status, judged by rules and by people. */
const CONTROLS: readonly Row[] = ['AC-3(4)', '2.1.1', 'A.5.1 (b)', 'CC6.1', '存-1', '§ 8a', ' 1 '].flatMap((control_id) =>
  ['PASS', 'FAIL', 'NOT_ASSESSED', 'NOT_APPLICABLE'].flatMap((status) =>
    [null, attestation].map((one) => ({ ...control, not_evaluated_results: 0, control_id, status, attestation: one })),
  ),
);

async function written(format: ExportFormat, rows: readonly Row[], framework: Row | null = null): Promise<string> {
  async function* batches() {
    if (rows.length > 0) yield rows;
  }
  let text = '';
  const contents = {
    id: '7b0f2c1e-5b3a-4d57-8f0e-0d6d5a3f9b11',
    subject: 'findings' as const,
    title: 'Findings',
    columns: [],
    framework,
  };
  for await (const part of format.write({ ...contents, madeAt: new Date('2030-01-31T08:00:00Z'), rows: batches(), tell() {} }))
    text += String(part);
  return text;
}

const FORMATS = [
  ['sarif', sarif],
  ['vex', vex],
  ['ocsf', ocsf],
] as const;

it.each(FORMATS)('%s of any finding is as its publisher has it', async (name, format) => {
  expect([...new Set(breachesOf(name, await written(format, ROWS)))].slice(0, 20)).toEqual([]);
});

it.each(FORMATS.slice(0, 2))('%s of nothing is, too', async (name, format) => {
  expect(breachesOf(name, await written(format, []))).toEqual([]);
});

it.each([
  ['every', CONTROLS, framework],
  ['none', [], framework],
  ['no assessed', CONTROLS.filter(({ status }) => status === 'NOT_ASSESSED'), { ...framework, last_evaluated: null, score: null }],
])('OSCAL of a framework with %s control is as its publisher has it', async (_what, rows, facts) => {
  expect(breachesOf('oscal', await written(oscal, rows, facts))).toEqual([]);
});

it.each([
  ['sarif', '{"version":"2.1.0","runs":[{"results":[]}]}', 'tool'],
  ['vex', '{"bomFormat":"CycloneDX","specVersion":"1.6","vulnerabilities":[{"analysis":{"state":"open"}}]}', 'state'],
  ['ocsf', '{"class_uid":2002}', 'finding_info'],
  ['oscal', '{"assessment-results":{"uuid":"7b0f2c1e-5b3a-4d57-8f0e-0d6d5a3f9b11","metadata":{},"results":[]}}', 'import-ap'],
] as const)('the schema of %s refuses what it must', (name, file, named) => {
  expect(breachesOf(name, file).join('\n')).toContain(named);
});

it.each([
  ['a sign-in', { action: 'user.login', target: 'user:u' }],
  ['a change', { action: 'export.put', target: 'export:e', detail: { key: 'k' } }],
  ['what no person did, from nowhere', { action: 'report.pause', actor_email: 'system', ip_address: null }],
  ['what failed', { action: 'export.put', result: 'failure', target: null }],
])('an entry of the audit log as OCSF is as its publisher has it: %s', (_what, entry) => {
  const proven = {
    tenant_id: 't',
    seq: 1,
    timestamp: new Date(0),
    actor_email: 'ada@acme.example',
    ip_address: '10.0.0.1',
    result: 'success',
  };
  const event = toOcsf({ ...proven, prev: '0', hash: '1', ...entry } as unknown as ProvenEntry);
  expect(breachesOf('ocsf', JSON.stringify(event))).toEqual([]);
});
