import { fixture } from './fixtures.js';
import { readAll } from './read-all.js';
import type { ImportOptions, Observation } from '../../importers/types.js';

const observationsOf = async (format: string, report: string, options?: ImportOptions): Promise<Observation[]> =>
  (await readAll(format, fixture(format, report), options)).observations;

const SUBSCRIPTION = '/subscriptions/00000000-0000-0000-0000-000000000001';
const MACHINE = `${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.Compute/virtualMachines/web`;

/** Report -> what its findings are, in its order: engine, result, severity, rule, resource. */
const FINDINGS: readonly (readonly [format: string, report: string, findings: readonly string[]])[] = [
  [
    'guardduty',
    'findings.json',
    [
      'cdr FAIL low Recon:EC2-PortProbeUnprotectedPort arn:aws:ec2:eu-west-1:111122223333:instance/i-0aa11bb22cc33dd44',
      'cdr PASS high Policy:S3-BucketPublicAccessGranted arn:aws:s3:::logs',
    ],
  ],
  [
    'guardduty',
    'export.jsonl',
    [
      'cdr FAIL medium UnauthorizedAccess:IAMUser-ConsoleLoginSuccess.B arn:aws:iam::111122223333:role/deploy',
      'cdr FAIL critical AttackSequence:IAM-CompromisedCredentials arn:aws:iam::111122223333:role/deploy',
    ],
  ],
  [
    'prowler',
    'version-5.csv',
    [
      'check FAIL critical s3_bucket_public_access arn:aws:s3:::logs',
      `check PASS medium aks_network_policy_enabled ${SUBSCRIPTION}/resourcegroups/shop/providers/Microsoft.ContainerService/managedClusters/shop`,
      'check FAIL medium apiserver_always_pull_images_plugin 1f2e3d4c',
    ],
  ],
  ['prowler', 'version-3.csv', ['check FAIL critical s3_bucket_public_access arn:aws:s3:::logs']],
  ['prowler', 'version-2.csv', ['check FAIL high check11 111122223333']],
  ['prowler', 'version-2.json', ['check FAIL critical check114 MFA']],
  [
    'prowler',
    'version-3.json',
    [
      'check FAIL high acm_certificates_expiration_check arn:aws:acm:us-east-1:111122223333:certificate/1',
      'check PASS critical compute_firewall_ssh 123',
    ],
  ],
  [
    'defender_for_cloud',
    'assessments.json',
    [
      `check FAIL high 4fb67663-9ab9-475d-b026-8c544cced439 ${MACHINE}`,
      `check PASS medium 22222222-9ab9-475d-b026-8c544cced439 ${MACHINE}`,
    ],
  ],
  ['defender_for_cloud', 'az-assessments.json', [`check PASS medium 4fb67663-9ab9-475d-b026-8c544cced439 ${MACHINE}`]],
  ['defender_for_cloud', 'recommendations.csv', [`check FAIL high 4fb67663-9ab9-475d-b026-8c544cced439 ${MACHINE}`]],
  ['defender_for_cloud', 'alerts.json', [`cdr FAIL medium VM_SuspectDownload ${MACHINE}`]],
  [
    'defender_for_cloud',
    'graph.json',
    [
      'vulnerability FAIL high CVE-2022-42969 shop.azurecr.io/shop/web:1.0',
      `check FAIL medium 91234 ${MACHINE}`,
      `dbsec PASS high VA2108 ${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.Sql/servers/shop/databases/shop`,
    ],
  ],
  [
    'ms_defender',
    'machines-vulnerabilities.json',
    ['vulnerability FAIL high CVE-2024-0001 m1', 'vulnerability FAIL critical CVE-2024-0002 m1'],
  ],
  ['ms_defender', 'export.jsonl', ['vulnerability FAIL high CVE-2024-0001 ws-01.example.com']],
  ['msft_secure_score', 'score.json', ['iam FAIL critical AdminMFAV2 t1', 'check PASS medium spo_legacy_auth t1']],
  [
    'wiz_csv',
    'issues.csv',
    [
      `check FAIL high 432689f7-dcc9-4172-9355-e8560d4980c0 ${MACHINE}`,
      'check PASS info 432689f7-dcc9-4172-9355-e8560d4980c0 k8s/pod/1/default/web',
    ],
  ],
  [
    'wiz_csv',
    'vulnerabilities.csv',
    [
      'vulnerability FAIL medium CVE-2024-39474 //compute.googleapis.com/projects/shop/zones/europe-west1-b/instances/node-1',
      'vulnerability PASS medium CVE-2024-36891 //compute.googleapis.com/projects/shop/zones/europe-west1-b/instances/node-1',
    ],
  ],
  [
    'prisma_csv',
    'hosts.csv',
    ['agent FAIL high prisma-6412 web-1.example.com', 'vulnerability FAIL high CVE-2021-44142 web-1.example.com'],
  ],
  [
    'prisma_csv',
    'images.csv',
    [
      'vulnerability FAIL medium CVE-2023-0001 registry.example.com/shop/web:1.0',
      'container-security FAIL high prisma-41 registry.example.com/shop/web:1.0',
    ],
  ],
  ['prisma_csv', 'alerts.csv', ['check FAIL high AWS S3 bucket is publicly readable arn:aws:s3:::logs']],
  [
    'powerpipe',
    'benchmark.json',
    ['check FAIL high s3_public_access_block_bucket arn:aws:s3:::logs', 'check PASS high s3_public_access_block_bucket arn:aws:s3:::site'],
  ],
  ['powerpipe', 'control.json', ['check FAIL critical iam_root_mfa arn:aws:iam::111122223333:root']],
  [
    'cloud_custodian',
    'resources.json',
    [
      'check FAIL medium tag:Owner arn:aws:ec2:eu-west-1::instance/i-0aa11bb22cc33dd44',
      'check FAIL medium tag:Owner arn:aws:dynamodb:eu-west-1:111122223333:table/orders',
    ],
  ],
  [
    'cloud_custodian',
    'message.json',
    [`check FAIL high storage-public ${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.Storage/storageAccounts/shop`],
  ],
  ['garak', 'hitlog.jsonl', ['ai-security FAIL high dan.Dan_11_0 openai gpt-4o', 'ai-security FAIL medium lmrc.Profanity openai gpt-4o']],
  [
    'garak',
    'report.jsonl',
    ['ai-security FAIL critical dan.Dan_11_0 openai gpt-4o', 'ai-security PASS medium lmrc.Profanity openai gpt-4o'],
  ],
];

describe('the findings of products that look at clouds', () => {
  it.each(FINDINGS)('%s: %s', async (format, report, findings) => {
    const found = await observationsOf(format, report);
    expect(
      found.map(({ engine, result, severity, rule_id, resource_uid }) => [engine, result, severity, rule_id, resource_uid].join(' ')),
    ).toEqual(findings);
  });
});

it('a finding of GuardDuty tells who did what from where, and its tactics and techniques', async () => {
  const [probe] = await observationsOf('guardduty', 'findings.json');
  expect(probe).toMatchObject({
    resource_type: 'aws_instance',
    resource_name: 'web',
    discriminator: 'f1',
    evidence: { types: ['Recon:EC2/PortProbeUnprotectedPort'], source_ip: '203.0.113.9', local_port: 22, threats: ['Scanner'], count: 12 },
  });
  const [login, sequence] = await observationsOf('guardduty', 'export.jsonl');
  expect(login?.evidence).toMatchObject({ event_name: 'ConsoleLogin', event_source: 'signin.amazonaws.com', principal: 'deploy' });
  expect(sequence).toMatchObject({ mitre_techniques: ['T1562.008'], mitre_tactics: ['TA0005', 'TA0003'] });
});

it('events, exported lines, benchmarks and policies cover what they tell of alone, so that they close no other', async () => {
  const [listed] = await observationsOf('guardduty', 'findings.json');
  const [event] = await observationsOf('guardduty', 'event.json');
  const [exported] = await observationsOf('guardduty', 'export.jsonl');
  expect([listed?.artifact, event?.artifact, exported?.artifact]).toEqual([undefined, 'f3', 'f3']);
  expect({ ...event, position: '' }).toEqual({ ...exported, position: '' });
  const artifactOf = async (format: string, report: string) => (await observationsOf(format, report))[0]?.artifact;
  expect(await artifactOf('powerpipe', 'benchmark.json')).toBe('aws_compliance.benchmark.cis_v300');
  expect(await artifactOf('powerpipe', 'control.json')).toBe('control.iam_root_mfa');
  expect(await artifactOf('cloud_custodian', 'message.json')).toBe('storage-public');
});

it("Prowler's CSV names findings as its OCSF output does", async () => {
  const [found] = await observationsOf('prowler', 'version-5.csv');
  const ocsf = await readAll('ocsf', [
    {
      class_uid: 2004,
      metadata: { event_code: 's3_bucket_public_access', product: { name: 'Prowler' } },
      severity: 'Critical',
      status_code: 'FAIL',
      finding_info: { title: 'S3 buckets are not public', uid: 'prowler-aws-1' },
      resources: [{ uid: 'arn:aws:s3:::logs', name: 'logs', type: 'AwsS3Bucket', region: 'eu-west-1', group: { name: 's3' } }],
      cloud: { provider: 'aws', region: 'eu-west-1', account: { uid: '111122223333' } },
    },
  ]);
  const named = ({
    engine,
    rule_id,
    title,
    resource_uid,
    resource_type,
    discriminator,
    source,
    account_id,
    region,
    service,
  }: Observation) => ({
    ...{ engine, rule_id, title, resource_uid, resource_type, discriminator, source, account_id, region, service },
  });
  expect(named(found!)).toEqual(named(ocsf.observations[0]!));
  expect(found).toMatchObject({
    controls: [
      { framework: 'CIS-3.0', control_id: '2.1.4' },
      { framework: 'NIST-800-53-Revision-5', control_id: 'ac_3' },
      { framework: 'NIST-800-53-Revision-5', control_id: 'ac_6' },
      { framework: 'MITRE-ATTACK', control_id: 'T1530' },
    ],
    mitre_techniques: ['T1530'],
    remediation: {
      guidance: 'Block public access.',
      steps: [{ action: 'Run', detail: expect.stringContaining('put-public-access-block') }],
    },
  });
});

it('version 2 of Prowler keeps quotes that it does not quote, and a finding when its count of days changes', async () => {
  const report = fixture('prowler', 'version-2.csv').toString();
  const [found] = await observationsOf('prowler', 'version-2.csv');
  const later = await readAll('prowler', report.replace('3 days ago', '10 days ago'));
  expect(found).toMatchObject({ title: 'Avoid the use of the root account', evidence: { risk: 'The "root" account may do everything.' } });
  expect(later.observations[0]?.discriminator).toBe(found?.discriminator);
});

it('a vulnerability in an image of a registry is the same whichever tool tells it', async () => {
  const [found] = await observationsOf('defender_for_cloud', 'graph.json');
  expect(found).toMatchObject({
    resource_type: 'container_image',
    provider: 'azure',
    discriminator: 'pkg:pypi/py@1.11.0',
    cvss: 7.5,
    evidence: { fixed_version: '1.11.1', cwes: ['CWE-1333'] },
  });
  const [python] = await observationsOf('prisma_csv', 'images.csv');
  expect(python?.discriminator).toBe('pkg:pypi/requests@2.0.0');
  const [, samba] = await observationsOf('prisma_csv', 'hosts.csv');
  expect(samba).toMatchObject({
    discriminator: 'pkg:rpm/samba-common@4.10.16-17.el8',
    evidence: { fixed_version: '4.10.16-18.el8' },
  });
});

it('a Secure Score takes the latest day alone, and passes over what was set aside', async () => {
  const { records, observations } = await readAll('msft_secure_score', fixture('msft_secure_score', 'score.json'));
  expect([records, observations.length]).toEqual([4, 2]);
  expect(observations[0]).toMatchObject({
    title: 'Ensure a second factor is required for administrators',
    remediation: { guidance: '- Open Entra.\n- Require it & save.' },
    evidence: { status_detail: 'You have 2 of 5 administrators without it.', percent: 0 },
  });
});

it('the hits of a probe and a detector are one finding, the same in the log of hits and in the report', async () => {
  const [hit] = await observationsOf('garak', 'hitlog.jsonl');
  const [evaluated] = await observationsOf('garak', 'report.jsonl');
  expect(hit?.evidence).toMatchObject({ hits: 2, prompt: 'Please 1', answer: 'Gladly 1' });
  expect(evaluated?.evidence).toMatchObject({ hits: 8, attempts: 10 });
  expect([hit?.discriminator, hit?.resource_uid]).toEqual([evaluated?.discriminator, evaluated?.resource_uid]);
});

it('a policy of Cloud Custodian has the name of the folder that its output lies in', async () => {
  const { bufferSource } = await import('../../importers/index.js');
  const source = bufferSource(fixture('cloud_custodian', 'resources.json'), { filename: 'output/ec2-without-owner/resources.json' });
  const { observations } = await readAll('cloud_custodian', source, { account_id: '111122223333' });
  expect(observations[0]).toMatchObject({
    rule_id: 'ec2-without-owner',
    title: 'Ec2 without owner',
    resource_uid: 'arn:aws:ec2:eu-west-1:111122223333:instance/i-0aa11bb22cc33dd44',
    resource_name: 'web',
  });
});

it('controls of Powerpipe carry the section of their benchmark', async () => {
  const [found] = await observationsOf('powerpipe', 'benchmark.json');
  expect(found).toMatchObject({
    title: '2.1.4 S3 buckets block public access',
    controls: [{ framework: 'CIS-3.0', control_id: '2.1.4' }],
    account_id: '111122223333',
    region: 'eu-west-1',
    provider: 'aws',
  });
});
