import { loadDetections } from '../../catalog/detections/rule-set.js';
import { many } from './emulated.js';
import { eventsIn, findingsOf } from './findings-of.js';
import { actionTrail, azure, gcp, kubernetes, oci, trail } from './records.js';

const numbered = (count: number, of: string): string[] => Array.from({ length: count }, (_, n) => `${of}-${n}`);
const instances = (count: number) => ({ instancesSet: { items: numbered(count, 'i').map((instanceId) => ({ instanceId })) } });
const keys = (count: number) => ({ bucketName: 'b', delete: { objects: numbered(count, 'k').map((key) => ({ key })) } });
const untold = { bucketName: 'b', delete: '', 'x-id': 'DeleteObjects' };
const sized = (bytesTransferredIn: number) => ({ additionalEventData: { bytesTransferredIn } });
/** Records of several calls, a second apart. */
const trails = (...calls: object[]): object => ({
  Records: calls
    .flatMap((call) => (call as { Records: object[] }).Records)
    .map((one, n) => ({
      ...one,
      ...{ eventID: `e${n}`, eventTime: `2030-01-01T10:0${Math.floor(n / 60)}:${String(n % 60).padStart(2, '0')}Z` },
    })),
});
const listed = trail('s3', 'ListObjectVersions', { bucketName: 'b' });
const inConsole = { userAgent: '[S3Console/0.4, aws-internal/3]' };
const requestbody = (body: object) => ({ requestbody: JSON.stringify(body) });
const group = 'v1.compute.instanceGroupManagers.deleteInstances';
const ofGroup = (count: number) =>
  gcp(group, 'compute.googleapis.com', {
    resourceName: 'projects/p/zones/z/instanceGroupManagers/g',
    request: { instances: numbered(count, 'zones/z/instances/i') },
  });
const operations = 'google.cloud.storagebatchoperations.v1.StorageBatchOperations.CreateJob';
const job = (request: object) => gcp(operations, 'storagebatchoperations.googleapis.com', { request: { job: request } });
const scaleSet = 'Microsoft.Compute/virtualMachineScaleSets/delete/action';
const program = 'system:serviceaccount:shop:web';
const collection = (resource: string, username: string, apiGroup?: string) =>
  kubernetes('deletecollection', { resource, namespace: 'shop', ...(apiGroup && { apiGroup }) }).map((one) => ({
    ...one,
    user: { username },
  }));
const secrets = (count: number) =>
  kubernetes('deletecollection', { resource: 'configmaps', namespace: 'shop' }).map((one) => ({
    ...one,
    responseObject: { items: numbered(count, 'c').map((name) => ({ metadata: { name } })) },
  }));

/** A rule, its log, what it sees, and what it does not: the same in small, or done by whom it is ordinary for. */
const PAIRS: readonly [rule: string, format: string, seen: object, unseen: object][] = [
  ['aws-objects-deleted-in-bulk', 'cloudtrail', trail('s3', 'DeleteObjects', keys(60)), trail('s3', 'DeleteObjects', keys(40))],
  [
    'aws-objects-deleted-in-bulk',
    'cloudtrail',
    trails(
      trail('s3', 'DeleteObjects', keys(40)),
      ...numbered(10, 'o').map((key) => trail('s3', 'DeleteObject', { bucketName: 'b', key })),
    ),
    trails(...numbered(60, 'o').map(() => trail('s3', 'DeleteObject', { bucketName: 'b', key: 'k-0' }))),
  ],
  [
    'aws-objects-deleted-by-a-large-call',
    'cloudtrail',
    trail('s3', 'DeleteObjects', untold, sized(5_700)),
    trail('s3', 'DeleteObjects', untold, sized(400)),
  ],
  ['aws-objects-deleted-untold', 'cloudtrail', trail('s3', 'DeleteObjects', untold), trail('s3', 'DeleteObjects', untold, inConsole)],
  [
    'aws-object-versions-listed-and-deleted',
    'cloudtrail',
    trails(listed, trail('s3', 'DeleteObjects', untold, sized(400))),
    trails(trail('s3', 'DeleteObjects', untold, sized(400)), { ...trail('s3', 'ListObjects', { bucketName: 'b' }) }),
  ],
  [
    'aws-instances-terminated-in-bulk',
    'cloudtrail',
    trail('ec2', 'TerminateInstances', instances(10)),
    trail('ec2', 'TerminateInstances', instances(9)),
  ],
  [
    'aws-instances-stopped-in-bulk',
    'cloudtrail',
    trail('ec2', 'StopInstances', instances(10)),
    trail('ec2', 'StopInstances', instances(3)),
  ],
  [
    'aws-named-things-deleted-in-bulk',
    'cloudtrail',
    trail('ecr', 'BatchDeleteImage', { imageIds: numbered(25, 'sha256:').map((imageDigest) => ({ imageDigest })) }),
    trail('ecr', 'BatchDeleteImage', { imageIds: [{ imageDigest: 'sha256:1' }] }),
  ],
  [
    'aws-log-groups-deleted-in-bulk',
    'cloudtrail',
    trails(...numbered(5, 'g').map((logGroupName) => trail('logs', 'DeleteLogGroup', { logGroupName }))),
    trails(...numbered(5, 'g').map(() => trail('logs', 'DeleteLogGroup', { logGroupName: 'g' }))),
  ],
  ['gcp-machines-deleted-in-bulk', 'gcp_audit', ofGroup(12), ofGroup(3)],
  ['gcp-objects-deleted-by-a-job', 'gcp_audit', job({ deleteObject: {} }), job({ putMetadata: { cacheControl: 'no-store' } })],
  [
    'azure-machines-deleted-in-one-call',
    'azure_audit',
    azure(scaleSet, requestbody({ instanceIds: numbered(10, 'm') })),
    azure(scaleSet, requestbody({ instanceIds: numbered(2, 'm') })),
  ],
  [
    'azure-deployment-deletes-the-rest',
    'azure_audit',
    azure('Microsoft.Resources/deployments/write', requestbody({ properties: { mode: 'Complete' } })),
    azure('Microsoft.Resources/deployments/write', requestbody({ properties: { mode: 'Incremental' } })),
  ],
  [
    'k8s-collection-deleted',
    'kubernetes_audit',
    collection('statefulsets', 'eve', 'apps'),
    collection('pods', 'system:serviceaccount:kube-system:namespace-controller'),
  ],
  [
    'k8s-collection-deleted-by-program',
    'kubernetes_audit',
    collection('secrets', program),
    collection('secrets', 'system:serviceaccount:kube-system:namespace-controller'),
  ],
  ['k8s-things-deleted-in-bulk', 'kubernetes_audit', secrets(25), secrets(5)],
  [
    'oci-objects-deleted-in-bulk',
    'oci_audit',
    oci('BatchDeleteObjects', 'ObjectStorage', {
      request: { parameters: { objects: numbered(60, 'o').map((objectName) => ({ objectName })) } },
    }),
    oci('BatchDeleteObjects', 'ObjectStorage', { request: { parameters: { objects: [{ objectName: 'o' }] } } }),
  ],
  [
    'alicloud-machines-deleted-in-bulk',
    'alicloud_actiontrail',
    actionTrail('Ecs', 'DeleteInstances', { InstanceId: numbered(5, 'i') }),
    many((n) => actionTrail('Ecs', 'DeleteInstance', { InstanceId: 'i-1' }, {}, n), 6),
  ],
];

it.each(PAIRS)('%s weighs a call of %s by what it names', async (rule, format, seen, unseen) => {
  const found = async (records: object): Promise<boolean> => {
    const text =
      format === 'kubernetes_audit' ? (records as object[]).map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(records);
    const findings = await findingsOf(await eventsIn(format, Buffer.from(text)));
    return findings.some((key) => key.startsWith(`palisade-detection-${rule} `));
  };
  expect(loadDetections().all.has(`palisade-detection-${rule}`)).toBe(true);
  expect([await found(seen), await found(unseen)]).toEqual([true, false]);
});
