import { many, type Emulated } from './emulated.js';
import { gcp } from './records.js';

const delta = (action: string, role: string, member: string) => ({
  serviceData: { policyDelta: { bindingDeltas: [{ action, role, member }] } },
});
const gcps = (make: (n: number) => object, count: number): object[] =>
  many(make, count).map((one, n) => ({ ...one, insertId: `i${n}`, timestamp: `2030-01-01T10:00:${String(n % 60).padStart(2, '0')}Z` }));

/** https://stratus-red-team.cloud/attack-techniques/GCP/ */
export const GCP: readonly Emulated[] = [
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
