import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readDetectionFiles } from '../../catalog/detections/rule-file.js';
import { loadDetections } from '../../catalog/detections/rule-set.js';
import { needing, shared } from '../support/shared.js';
import { eventsIn, findingsOf } from './findings-of.js';
import { chosen, eventOf } from './made-event.js';
import { ALICLOUD_HABITS } from './ordinary-alicloud.js';
import { AZURE_HABITS } from './ordinary-azure.js';
import { GCP_HABITS } from './ordinary-gcp.js';
import { KUBERNETES_HABITS } from './ordinary-kubernetes.js';
import { OCI_HABITS } from './ordinary-oci.js';
import { ordinaryLog, type Habit } from './ordinary-logs.js';
import { ordinaryEvents } from './ordinary.js';
import { azure, gcp, kubernetes, trail } from './records.js';

const SAMPLES = shared('data/samples/cloudtrail');

const techniquesOf = (findings: readonly string[]): string[] => [
  ...new Set(findings.flatMap((key) => loadDetections().all.get(key.split(' ', 1)[0]!)!.techniques)),
];

it('has at least 250 detections over the audit logs of six sources, each with its technique and what to do about it', () => {
  const all = [...loadDetections().all.values()];
  expect(all.length).toBeGreaterThanOrEqual(250);
  const ofSource = ['aws-', 'gcp-', '(?:azure|entra)-', 'k8s-', 'oci-', 'alicloud-'].map(
    (name) => all.filter(({ rule_id }) => new RegExp(`^palisade-detection-${name}`).test(rule_id)).length,
  );
  expect(Math.min(...ofSource)).toBeGreaterThanOrEqual(40);
  expect(all.filter(({ techniques, response }) => techniques.length === 0 || response.length === 0)).toEqual([]);
});

it('has no rule that nothing meets, as far as its patterns can be made into values', () => {
  const rules = loadDetections();
  const { rules: sources, correlations } = readDetectionFiles();
  const made = sources.flatMap((source) => {
    const events = chosen(source).flatMap((selections) => eventOf(source.logsource, selections) ?? []);
    // what a regular expression asks for is not made here
    if (events.length === 0 || JSON.stringify(source.detection).includes('|re')) return [];
    const raised = [
      source.name,
      ...correlations.filter(({ correlation }) => correlation.rules.includes(source.name)).map(({ name }) => name),
    ];
    const isMet = events.some((event) =>
      rules.match(event).some(({ rule_id }) => raised.includes(rule_id.replace('palisade-detection-', ''))),
    );
    return [{ name: source.name, isMet }];
  });
  expect(made.filter(({ isMet }) => !isMet)).toEqual([]);
  expect(made.length).toBeGreaterThan(sources.length * 0.7);
});

it('sees nothing in calls that came to nothing, where it asks for those that succeeded', () => {
  const rules = loadDetections();
  const { rules: sources } = readDetectionFiles();
  const asking = sources.filter(
    ({ detection }) => (detection['selection'] as Record<string, unknown> | undefined)?.['event.outcome'] === 'success',
  );
  const seen = asking.flatMap((source) => {
    const events = chosen(source).flatMap((selections) => eventOf(source.logsource, selections) ?? []);
    const own = `palisade-detection-${source.name}`;
    return events.some((event) => rules.match({ ...event, outcome: 'failure' }).some(({ rule_id }) => rule_id === own))
      ? [source.name]
      : [];
  });
  expect(seen).toEqual([]);
  expect(asking.length).toBeGreaterThan(sources.length * 0.7);
});

/** Detonations of Stratus Red Team by the names of their files, and the technique of ATT&CK that each plays. */
const PLAYED: Readonly<Record<string, string>> = {
  'aws.credential-access.ec2-steal-instance-credentials': 'T1552.005',
  'aws.credential-access.secretsmanager-batch-retrieve-secrets': 'T1555.006',
  'aws.credential-access.secretsmanager-retrieve-secrets': 'T1555.006',
  'aws.credential-access.ssm-retrieve-securestring-parameters': 'T1555.006',
  'aws.defense-evasion.cloudtrail-delete': 'T1562.008',
  'aws.defense-evasion.cloudtrail-event-selectors': 'T1562.008',
  'aws.defense-evasion.dns-delete-logs': 'T1562.008',
  'aws.defense-evasion.organizations-leave': 'T1562.008',
  'aws.defense-evasion.vpc-remove-flow-logs': 'T1562.008',
  'aws.execution.ec2-launch-unusual-instances': 'T1496.001',
  'aws.execution.ec2-user-data': 'T1059',
  'aws.execution.ssm-send-command': 'T1651',
  'aws.exfiltration.ec2-share-ami': 'T1537',
  'aws.exfiltration.rds-share-snapshot': 'T1537',
  'aws.impact.bedrock-invoke-model': 'T1496.004',
  'aws.lateral-movement.ec2-instance-connect': 'T1021.004',
  'aws.lateral-movement.ec2-serial-console-send-ssh-public-key': 'T1021.008',
  'aws.persistence.iam-backdoor-role': 'T1098.003',
  'aws.persistence.iam-backdoor-user': 'T1098.001',
  'aws.persistence.iam-create-backdoor-role': 'T1098.003',
  'aws.persistence.iam-create-user-login-profile': 'T1098',
  'aws.persistence.lambda-backdoor-function': 'T1546',
  'aws.persistence.lambda-overwrite-code': 'T1648',
  'aws.persistence.rolesanywhere-create-trust-anchor': 'T1098.001',
  'aws.persistence.sts-federation-token': 'T1550.001',
  'aws.privilege-escalation.iam-update-user-login-profile': 'T1098',
};

needing(SAMPLES).it('sees the technique that each recorded attack plays (skipped without ../shared)', async () => {
  const files = readdirSync(SAMPLES!).filter((name) => name.endsWith('.json'));
  expect(files.map((name) => name.replace(/\.json$/, '')).sort()).toEqual(Object.keys(PLAYED).sort());
  const missed: string[] = [];
  for (const file of files) {
    const findings = await findingsOf(await eventsIn('cloudtrail', readFileSync(join(SAMPLES!, file))));
    if (!techniquesOf(findings).includes(PLAYED[file.replace(/\.json$/, '')]!)) missed.push(`${file}: ${findings.join()}`);
  }
  expect(missed).toEqual([]);
});

it('raises at most one finding in ten thousand ordinary events', async () => {
  const events = ordinaryEvents(20_000);
  const findings = await findingsOf(events);
  expect(findings.slice(events.length / 10_000)).toEqual([]);
});

const ORDINARY: readonly [format: string, habits: readonly Habit[]][] = [
  ['gcp_audit', GCP_HABITS],
  ['azure_audit', AZURE_HABITS],
  ['kubernetes_audit', KUBERNETES_HABITS],
  ['oci_audit', OCI_HABITS],
  ['alicloud_actiontrail', ALICLOUD_HABITS],
];
it.each(ORDINARY)('raises at most one finding in ten thousand ordinary events of %s', async (format, habits) => {
  const records = [...ordinaryLog(habits, 20_000, 20_300_304)];
  const isLines = format === 'kubernetes_audit';
  const text = isLines ? records.map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(records);
  const events = await eventsIn(format, Buffer.from(text));
  expect(events).toHaveLength(records.length);
  const findings = await findingsOf(events);
  expect(findings.slice(events.length / 10_000)).toEqual([]);
});

it('holds an ordinary event against few rules', () => {
  const rules = loadDetections();
  const events = ordinaryEvents(2_000);
  const tried = events.reduce((sum, event) => sum + rules.candidates(event), 0);
  expect(tried / events.length).toBeLessThan(6);
});

const ATTACKS: readonly [rule: string, format: string, records: object][] = [
  [
    'aws-admin-port-opened',
    'cloudtrail',
    trail('ec2', 'AuthorizeSecurityGroupIngress', {
      ipPermissions: { items: [{ fromPort: 22, toPort: 22, ipRanges: { items: [{ cidrIp: '0.0.0.0/0' }] } }] },
    }),
  ],
  ['aws-guardduty-off', 'cloudtrail', trail('guardduty', 'UpdateDetector', { detectorId: 'd', enable: false })],
  [
    'aws-bucket-opened',
    'cloudtrail',
    trail('s3', 'PutBucketPolicy', {
      bucketName: 'b',
      bucketPolicy: { Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject' }] },
    }),
  ],
  [
    'aws-inline-administrator',
    'cloudtrail',
    trail('iam', 'PutUserPolicy', { userName: 'x', policyDocument: '{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}' }),
  ],
  [
    'gcp-opened-to-everybody',
    'gcp_audit',
    gcp('storage.setIamPermissions', 'storage.googleapis.com', {
      serviceData: { policyDelta: { bindingDeltas: [{ action: 'ADD', role: 'roles/storage.objectViewer', member: 'allUsers' }] } },
    }),
  ],
  ['gcp-service-account-key-made', 'gcp_audit', gcp('google.iam.admin.v1.CreateServiceAccountKey', 'iam.googleapis.com')],
  ['gcp-logs-diverted', 'gcp_audit', gcp('google.logging.v2.ConfigServiceV2.DeleteSink', 'logging.googleapis.com')],
  [
    'gcp-admin-port-opened',
    'gcp_audit',
    gcp('v1.compute.firewalls.insert', 'compute.googleapis.com', {
      request: { sourceRanges: ['0.0.0.0/0'], alloweds: [{ IPProtocol: 'tcp', ports: ['22'] }] },
    }),
  ],
  ['azure-access-elevated', 'azure_audit', azure('Microsoft.Authorization/elevateAccess/action')],
  [
    'azure-owner-assigned',
    'azure_audit',
    azure('Microsoft.Authorization/roleAssignments/write', {
      requestbody: '{"Properties":{"RoleDefinitionId":"/x/8e3af657-a8ff-443c-a75c-2fe8c4bcb635"}}',
    }),
  ],
  ['azure-command-run', 'azure_audit', azure('Microsoft.Compute/virtualMachines/runCommand/action')],
  [
    'entra-privileged-role-given',
    'azure_audit',
    [
      {
        id: 'a1',
        activityDateTime: '2030-01-01T10:00:00Z',
        activityDisplayName: 'Add member to role',
        result: 'success',
        initiatedBy: { user: { id: 'u1', userPrincipalName: 'ann@x.example' } },
        targetResources: [{ id: 't1', modifiedProperties: [{ displayName: 'Role.DisplayName', newValue: '"Global Administrator"' }] }],
      },
    ],
  ],
  [
    'entra-device-code-sign-in',
    'azure_audit',
    [
      {
        id: 's1',
        createdDateTime: '2030-01-01T10:00:00Z',
        userId: 'u1',
        userPrincipalName: 'ann@x.example',
        appId: 'app',
        ipAddress: '203.0.113.9',
        authenticationProtocol: 'deviceCode',
        status: { errorCode: 0 },
      },
    ],
  ],
  [
    'k8s-privileged-pod',
    'kubernetes_audit',
    kubernetes(
      'create',
      { resource: 'pods', namespace: 'default', name: 'p' },
      { spec: { containers: [{ image: 'x', securityContext: { privileged: true } }] } },
    ),
  ],
  [
    'k8s-cluster-administrator-bound',
    'kubernetes_audit',
    kubernetes(
      'create',
      { apiGroup: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings', name: 'b' },
      { roleRef: { name: 'cluster-admin' }, subjects: [{ name: 'eve' }] },
    ),
  ],
  ['k8s-secrets-listed', 'kubernetes_audit', kubernetes('list', { resource: 'secrets' })],
];

it.each(ATTACKS)('%s sees what it is for', async (rule, format, records) => {
  const text = format === 'kubernetes_audit' ? (records as object[]).map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(records);
  const events = await eventsIn(format, Buffer.from(text));
  expect(events).toHaveLength(1);
  expect(
    loadDetections()
      .match(events[0]!)
      .map(({ rule_id }) => rule_id),
  ).toContain(`palisade-detection-${rule}`);
});
