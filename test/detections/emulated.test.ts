import { loadDetections } from '../../catalog/detections/rule-set.js';
import { eventsIn, findingsOf } from './findings-of.js';
import { azure, gcp, kubernetes, trail } from './records.js';

/** A technique of an emulation plan, what of ATT&CK it plays, and the record by which its log tells of it. */
type Emulated = readonly [name: string, techniques: readonly string[], records: object];

const world = [{ fromPort: 22, toPort: 22, ipRanges: { items: [{ cidrIp: '0.0.0.0/0' }] } }];
const other = { add: { items: [{ userId: '444455556666' }] } };
const many = (records: (n: number) => object, count: number): object[] =>
  Array.from({ length: count }, (_, n) => (records(n) as { Records?: object[] }).Records ?? records(n)).flat();
const trails = (make: (n: number) => object, count: number): object => ({
  Records: many(make, count).map((one, n) => ({
    ...one,
    eventID: `e${n}`,
    eventTime: `2030-01-01T10:00:${String(n % 60).padStart(2, '0')}Z`,
  })),
});
const secretOf = (n: number) => ({ resources: [{ ARN: `arn:aws:secretsmanager:eu-central-1:111122223333:secret:${n}` }] });

const OF_INSTANCE = {
  userIdentity: {
    ...{ type: 'AssumedRole', arn: 'arn:aws:sts::111122223333:assumed-role/app/i-0abcdef1234567890', accountId: '111122223333' },
    sessionContext: { sessionIssuer: { arn: 'arn:aws:iam::111122223333:role/app' } },
  },
};
const LOOKS: readonly [service: string, call: string][] = [
  ['iam', 'ListUsers'],
  ['iam', 'ListRoles'],
  ['iam', 'GetAccountAuthorizationDetails'],
  ['ec2', 'DescribeSnapshots'],
  ['cloudtrail', 'DescribeTrails'],
  ['guardduty', 'ListDetectors'],
];

/**
 * https://stratus-red-team.cloud/attack-techniques/AWS/, but for those of which recordings are replayed beside; for the deletion of all objects of a bucket in one call,
 * which is what a clean-up looks like; and for calls that no log tells.
 */
const AWS: readonly Emulated[] = [
  ['ec2-get-password-data', ['T1552'], trails((n) => trail('ec2', 'GetPasswordData', { instanceId: `i-${n}` }), 30)],
  [
    'cloudtrail-lifecycle-rule',
    ['T1562.008', 'T1485'],
    trail('s3', 'PutBucketLifecycle', {
      bucketName: 'cloudtrail-logs',
      LifecycleConfiguration: { Rule: { Expiration: { Days: 1 }, Status: 'Enabled' } },
    }),
  ],
  ['cloudtrail-stop', ['T1562.008'], trail('cloudtrail', 'StopLogging', { name: 't' })],
  [
    'ec2-download-user-data',
    ['T1552', 'T1580', 'T1526'],
    trails((n) => trail('ec2', 'DescribeInstanceAttribute', { instanceId: `i-${n}`, attribute: 'userData' }), 15),
  ],
  [
    'ses-enumerate',
    ['T1526', 'T1087', 'T1580'],
    trails((n) => trail('ses', ['GetAccountSendingEnabled', 'GetSendQuota', 'ListIdentities'][n]!, {}), 3),
  ],
  [
    'sagemaker-update-lifecycle-config',
    ['T1059', 'T1546', 'T1648'],
    trail('sagemaker', 'UpdateNotebookInstanceLifecycleConfig', { notebookInstanceLifecycleConfigName: 'x' }),
  ],
  ['ssm-start-session', ['T1021', 'T1651', 'T1021.007', 'T1021.004'], trails((n) => trail('ssm', 'StartSession', { target: `i-${n}` }), 3)],
  [
    'ec2-security-group-open-port-22-ingress',
    ['T1562.007', 'T1190'],
    trail('ec2', 'AuthorizeSecurityGroupIngress', { groupId: 'sg-1', ipPermissions: { items: world } }),
  ],
  [
    'ec2-share-ebs-snapshot',
    ['T1537'],
    trail('ec2', 'ModifySnapshotAttribute', { snapshotId: 's', createVolumePermission: other, attributeType: 'CREATE_VOLUME_PERMISSION' }),
  ],
  [
    's3-backdoor-bucket-policy',
    ['T1537', 'T1530', 'T1098'],
    trail('s3', 'PutBucketPolicy', {
      bucketName: 'b',
      bucketPolicy: {
        Statement: [
          { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::444455556666:root' }, Action: ['s3:GetObject'], Resource: 'arn:aws:s3:::b/*' },
        ],
      },
    }),
  ],
  [
    's3-ransomware-individual-deletion',
    ['T1485', 'T1486'],
    trails((n) => trail('s3', 'DeleteObject', { bucketName: 'b', key: `k${n}` }), 120),
  ],
  [
    's3-ransomware-client-side-encryption',
    ['T1486'],
    trails(
      (n) => trail('s3', 'CopyObject', { bucketName: 'b', key: `k${n}`, 'x-amz-server-side-encryption-customer-algorithm': 'AES256' }),
      60,
    ),
  ],
  [
    'console-login-without-mfa',
    ['T1078.004'],
    trail(
      'signin',
      'ConsoleLogin',
      {},
      { additionalEventData: { MFAUsed: 'No' }, responseElements: { ConsoleLogin: 'Success' }, eventType: 'AwsConsoleSignIn' },
    ),
  ],
  [
    'iam-create-admin-user',
    ['T1098', 'T1098.003', 'T1136.003'],
    trail('iam', 'AttachUserPolicy', { userName: 'x', policyArn: 'arn:aws:iam::aws:policy/AdministratorAccess' }),
  ],
  [
    'lambda-layer-extension',
    ['T1546', 'T1648'],
    trail('lambda', 'UpdateFunctionConfiguration20150331v2', {
      functionName: 'f',
      layers: ['arn:aws:lambda:eu-central-1:444455556666:layer:x:1'],
    }),
  ],
  [
    'eks-create-access-entry',
    ['T1098', 'T1098.006', 'T1078.004'],
    trail('eks', 'AssociateAccessPolicy', {
      name: 'c',
      principalArn: 'arn:x',
      policyArn: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy',
    }),
  ],
  ['ec2-enumerate-from-instance', ['T1580'], trails((n) => trail(...LOOKS[n % LOOKS.length]!, {}, OF_INSTANCE), 12)],
  [
    'secretsmanager-retrieve-secrets',
    ['T1555.006'],
    trails((n) => trail('secretsmanager', 'GetSecretValue', { secretId: `s${n}` }, secretOf(n)), 30),
  ],
];

const delta = (action: string, role: string, member: string) => ({
  serviceData: { policyDelta: { bindingDeltas: [{ action, role, member }] } },
});
const gcps = (make: (n: number) => object, count: number): object[] =>
  many(make, count).map((one, n) => ({ ...one, insertId: `i${n}`, timestamp: `2030-01-01T10:00:${String(n % 60).padStart(2, '0')}Z` }));

/** https://stratus-red-team.cloud/attack-techniques/GCP/ */
const GCP: readonly Emulated[] = [
  [
    'secretmanager-retrieve-secrets',
    ['T1555.006'],
    gcps(
      (n) =>
        gcp('google.cloud.secretmanager.v1.SecretManagerService.AccessSecretVersion', 'secretmanager.googleapis.com', {
          resourceName: `projects/p/secrets/s${n}/versions/1`,
        }),
      30,
    ),
  ],
  ['delete-logging-sink', ['T1562.008'], gcp('google.logging.v2.ConfigServiceV2.DeleteSink', 'logging.googleapis.com')],
  [
    'disable-logging-sink',
    ['T1562.008'],
    gcp('google.logging.v2.ConfigServiceV2.UpdateSink', 'logging.googleapis.com', { request: { sink: { disabled: true } } }),
  ],
  [
    'reduce-sink-log-retention',
    ['T1562.008'],
    gcp('google.logging.v2.ConfigServiceV2.UpdateBucket', 'logging.googleapis.com', {
      request: { bucket: { retentionDays: 1 }, updateMask: 'retentionDays' },
    }),
  ],
  [
    'disable-audit-logs',
    ['T1562.008'],
    gcp('SetIamPolicy', 'cloudresourcemanager.googleapis.com', {
      serviceData: { policyDelta: { auditConfigDeltas: [{ action: 'REMOVE', service: 'storage.googleapis.com', logType: 'DATA_READ' }] } },
    }),
  ],
  ['remove-project-from-organization', ['T1562.008', 'T1562'], gcp('MoveProject', 'cloudresourcemanager.googleapis.com')],
  [
    'remove-vpc-flow-logs',
    ['T1562.008'],
    gcp('v1.compute.subnetworks.patch', 'compute.googleapis.com', { request: { logConfig: { enable: false }, enableFlowLogs: false } }),
  ],
  [
    'share-compute-disk',
    ['T1537'],
    gcp('v1.compute.disks.setIamPolicy', 'compute.googleapis.com', {
      request: { policy: { bindings: [{ role: 'roles/owner', members: ['user:x@gmail.com'] }] } },
    }),
  ],
  [
    'share-compute-image',
    ['T1537'],
    gcp('v1.compute.images.setIamPolicy', 'compute.googleapis.com', {
      request: { policy: { bindings: [{ role: 'roles/compute.imageUser', members: ['user:x@gmail.com'] }] } },
    }),
  ],
  [
    'share-compute-snapshot',
    ['T1537'],
    gcp('v1.compute.snapshots.setIamPolicy', 'compute.googleapis.com', {
      request: { policy: { bindings: [{ role: 'roles/compute.storageAdmin', members: ['user:x@gmail.com'] }] } },
    }),
  ],
  [
    'add-sshkey-instance-metadata',
    ['T1098.004', 'T1021.004'],
    gcp('v1.compute.instances.setMetadata', 'compute.googleapis.com', {
      metadata: { instanceMetadataDelta: { addedMetadataKeys: ['ssh-keys'] } },
    }),
  ],
  [
    'modify-vm-startup-script',
    ['T1059', 'T1578'],
    gcp('v1.compute.instances.setMetadata', 'compute.googleapis.com', {
      metadata: { instanceMetadataDelta: { modifiedMetadataKeys: ['startup-script'] } },
    }),
  ],
  [
    'backdoor-service-account-policy',
    ['T1098', 'T1098.003', 'T1098.001'],
    gcp('google.iam.admin.v1.SetIAMPolicy', 'iam.googleapis.com', delta('ADD', 'roles/iam.serviceAccountTokenCreator', 'user:x@gmail.com')),
  ],
  [
    'create-admin-service-account',
    ['T1136.003', 'T1098.003', 'T1098'],
    gcp('SetIamPolicy', 'cloudresourcemanager.googleapis.com', delta('ADD', 'roles/owner', 'serviceAccount:x@p.iam.gserviceaccount.com')),
  ],
  ['create-service-account-key', ['T1098.001'], gcp('google.iam.admin.v1.CreateServiceAccountKey', 'iam.googleapis.com')],
  [
    'invite-external-user',
    ['T1136.003', 'T1098', 'T1098.003'],
    gcp('SetIamPolicy', 'cloudresourcemanager.googleapis.com', delta('ADD', 'roles/editor', 'user:x@gmail.com')),
  ],
  [
    'impersonate-service-accounts',
    ['T1548.005', 'T1550.001', 'T1078.004', 'T1134'],
    gcps(
      (n) =>
        gcp('GenerateAccessToken', 'iamcredentials.googleapis.com', {
          resourceName: `projects/-/serviceAccounts/${n}`,
          status: { code: n % 10 === 0 ? 0 : 7 },
        }),
      20,
    ),
  ],
  [
    'create-gpu-vm',
    ['T1496', 'T1496.001', 'T1578.002'],
    gcp('v1.compute.instances.insert', 'compute.googleapis.com', {
      request: {
        machineType: 'zones/z/machineTypes/a2-highgpu-1g',
        guestAccelerators: [{ acceleratorType: 'nvidia-tesla-a100', acceleratorCount: '1' }],
      },
    }),
  ],
];

const entra = (activityDisplayName: string, targetResources: object[] = [{ id: 't1' }]): object => [
  {
    ...{ id: 'a1', activityDateTime: '2030-01-01T10:00:00Z', activityDisplayName, result: 'success', loggedByService: 'Core Directory' },
    ...{ initiatedBy: { user: { id: 'u1', userPrincipalName: 'ann@x.example' } }, targetResources },
  },
];

/** https://stratus-red-team.cloud/attack-techniques/azure/ and .../entra-id/ */
const AZURE: readonly Emulated[] = [
  [
    'vm-custom-script-extension',
    ['T1059', 'T1651'],
    azure('Microsoft.Compute/virtualMachines/extensions/write', { requestbody: '{"properties":{"type":"CustomScriptExtension"}}' }),
  ],
  ['vm-run-command', ['T1651', 'T1059'], azure('Microsoft.Compute/virtualMachines/runCommand/action')],
  ['disk-export', ['T1537', 'T1530'], azure('Microsoft.Compute/disks/beginGetAccess/action')],
  [
    'storage-sas-export',
    ['T1552', 'T1528', 'T1550', 'T1530', 'T1098.001'],
    azure('Microsoft.Storage/storageAccounts/listAccountSas/action'),
  ],
  ['create-bastion-shareable-link', ['T1098', 'T1133'], azure('Microsoft.Network/bastionHosts/createShareableLinks/action')],
  ['event-hub-deletion', ['T1562.008', 'T1562'], azure('Microsoft.EventHub/namespaces/eventhubs/delete')],
  ['event-hub-namespace-deletion', ['T1562.008', 'T1562'], azure('Microsoft.EventHub/namespaces/delete')],
  ['delete-diagnostic-settings', ['T1562.008'], azure('Microsoft.Insights/diagnosticSettings/delete')],
  ['delete-resource-lock', ['T1562', 'T1562.001', 'T1485'], azure('Microsoft.Authorization/locks/delete')],
  ['elevate-access', ['T1098.003', 'T1548', 'T1548.005', 'T1078.004'], azure('Microsoft.Authorization/elevateAccess/action')],
  ['entra backdoor-application', ['T1098.001'], entra('Update application – Certificates and secrets management ')],
  ['entra backdoor-application-sp', ['T1098.001'], entra('Add service principal credentials')],
  ['entra guest-user', ['T1136.003'], entra('Invite external user')],
  [
    'entra hidden-au',
    ['T1098.003', 'T1098', 'T1564'],
    entra('Add administrative unit', [{ id: 't1', modifiedProperties: [{ displayName: 'Visibility', newValue: '["HiddenMembership"]' }] }]),
  ],
  [
    'entra restricted-au',
    ['T1098', 'T1098.003', 'T1562', 'T1531'],
    entra('Add administrative unit', [
      { id: 't1', modifiedProperties: [{ displayName: 'IsMemberManagementRestricted', newValue: '[true]' }] },
    ]),
  ],
  [
    'entra new-application',
    ['T1098.003'],
    entra('Add member to role', [
      { id: 't1', modifiedProperties: [{ displayName: 'Role.DisplayName', newValue: '"Global Administrator"' }] },
    ]),
  ],
];

const rbac = 'rbac.authorization.k8s.io';
/** https://stratus-red-team.cloud/attack-techniques/kubernetes/ */
const KUBERNETES: readonly Emulated[] = [
  ['dump-secrets', ['T1552.007'], kubernetes('list', { resource: 'secrets' })],
  [
    'steal-serviceaccount-token',
    ['T1609', 'T1552.007', 'T1528'],
    kubernetes('create', { resource: 'pods', subresource: 'exec', namespace: 'kube-system', name: 'p' }),
  ],
  [
    'create-admin-clusterrole',
    ['T1098.006', 'T1098.003', 'T1098'],
    kubernetes(
      'create',
      { apiGroup: rbac, resource: 'clusterroles', name: 'r' },
      { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
    ),
  ],
  [
    'create-client-certificate',
    ['T1098', 'T1098.001', 'T1550', 'T1078.004', 'T1649'],
    kubernetes(
      'create',
      { apiGroup: 'certificates.k8s.io', resource: 'certificatesigningrequests', name: 'c' },
      { spec: { signerName: 'kubernetes.io/kube-apiserver-client' } },
    ),
  ],
  [
    'create-token',
    ['T1528', 'T1098.001', 'T1550.001', 'T1098'],
    kubernetes('create', { resource: 'serviceaccounts', subresource: 'token', namespace: 'kube-system', name: 's' }),
  ],
  [
    'hostpath-volume',
    ['T1611'],
    kubernetes('create', { resource: 'pods', namespace: 'default', name: 'p' }, { spec: { volumes: [{ hostPath: { path: '/' } }] } }),
  ],
  ['nodes-proxy', ['T1609', 'T1611', 'T1613', 'T1078.004'], kubernetes('get', { resource: 'nodes', subresource: 'proxy', name: 'n' })],
  [
    'privileged-pod',
    ['T1611'],
    kubernetes(
      'create',
      { resource: 'pods', namespace: 'default', name: 'p' },
      { spec: { containers: [{ securityContext: { privileged: true } }] } },
    ),
  ],
  [
    'backdoor-aws-auth-configmap',
    ['T1098', 'T1098.003', 'T1078.004', 'T1098.006'],
    kubernetes('patch', { resource: 'configmaps', namespace: 'kube-system', name: 'aws-auth' }, { data: { mapUsers: '- x' } }),
  ],
];

const LOGS: readonly [format: string, emulated: readonly Emulated[]][] = [
  ['cloudtrail', AWS],
  ['gcp_audit', GCP],
  ['azure_audit', AZURE],
  ['kubernetes_audit', KUBERNETES],
];

it.each(LOGS)('sees in %s what emulations of attacks play, each by its technique', async (format, emulated) => {
  const rules = loadDetections();
  const missed: string[] = [];
  for (const [name, techniques, records] of emulated) {
    const isLines = format === 'kubernetes_audit';
    const text = isLines ? (records as object[]).map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(records);
    const found = [...new Set((await findingsOf(await eventsIn(format, Buffer.from(text)))).map((key) => key.split(' ', 1)[0]!))];
    const seen = found.flatMap((rule_id) => rules.all.get(rule_id)!.techniques);
    if (!seen.some((technique) => techniques.includes(technique))) missed.push(`${name}: ${found.join()} ${seen.join()}`);
  }
  expect(missed).toEqual([]);
});
