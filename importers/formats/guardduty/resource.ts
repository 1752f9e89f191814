import { cloudPlace, type CloudPlace } from '../../normalize/cloud-resource.js';
import { compact, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** Where a finding was made. */
interface Where {
  account: string | undefined;
  region: string | undefined;
  partition: string;
  artifact: string | undefined;
}

/** A resource that a finding names: its identifier, and the type where the identifier does not tell it. */
interface Named {
  uid: string;
  type?: string;
  name?: string | undefined;
}

/** The resource of a finding, by the identifier that the inventory has for it. */
export function guardDutyPlace(finding: JsonObject, artifact: string | undefined, options: ImportOptions): CloudPlace {
  const where: Where = {
    account: textAt(finding, 'accountId') ?? options.account_id,
    region: textAt(finding, 'region') ?? options.region,
    partition: textAt(finding, 'partition')?.startsWith('aws') === true ? (textAt(finding, 'partition') as string) : 'aws',
    artifact,
  };
  const named = namedResource(objectAt(finding, 'resource'), where) ??
    sequenceResource(finding, where) ?? { uid: where.account ?? 'aws', type: 'account' };
  return cloudPlace({ ...named, ...where, provider: 'aws', metadata: metadataOf(finding) }, options);
}

/** Findings on a container lie where it runs, those on a volume on the volume, those by a key on the identity that it belongs to. */
function namedResource(resource: JsonObject | undefined, where: Where): Named | undefined {
  const type = textAt(resource, 'resourceType')?.toLowerCase();
  const bucket = objectsAt(resource, 's3BucketDetails')[0];
  const details: Readonly<Record<string, Named | undefined>> = {
    instance: instanceOf(resource, where),
    accesskey: identityOf(objectAt(resource, 'accessKeyDetails'), where),
    s3bucket: arnOf(bucket) ?? nameOf(bucket, (name) => `arn:${where.partition}:s3:::${name}`),
    s3object: arnOf(bucket),
    ekscluster: arnOf(objectAt(resource, 'eksClusterDetails')),
    kubernetescluster: arnOf(objectAt(resource, 'eksClusterDetails')),
    ecscluster: arnOf(objectAt(resource, 'ecsClusterDetails')),
    lambda: arnOf(objectAt(resource, 'lambdaDetails'), 'functionArn', 'functionName'),
    rdsdbinstance: arnOf(objectAt(resource, 'rdsDbInstanceDetails'), 'dbInstanceArn', 'dbInstanceIdentifier'),
    rdslimitlessdb: arnOf(objectAt(resource, 'rdsLimitlessDbDetails'), 'dbShardGroupArn', 'dbShardGroupIdentifier'),
    ebsvolume: arnOf(objectsAt(objectAt(resource, 'ebsVolumeDetails'), 'scannedVolumeDetails')[0], 'volumeArn', 'deviceName'),
    ebssnapshot: arnOf(objectAt(resource, 'ebsSnapshotDetails'), 'snapshotArn'),
    ec2image: arnOf(objectAt(resource, 'ec2ImageDetails'), 'imageArn'),
    recoverypoint: arnOf(objectAt(resource, 'recoveryPointDetails'), 'recoveryPointArn'),
    container: containerOf(objectAt(resource, 'containerDetails')),
  };
  const told = type === undefined ? undefined : details[type];
  return told ?? Object.values(details).find((known) => known !== undefined);
}

function arnOf(details: JsonObject | undefined, arn = 'arn', name = 'name'): Named | undefined {
  const uid = textAt(details, arn);
  return uid === undefined ? undefined : { uid, name: textAt(details, name) };
}

function nameOf(details: JsonObject | undefined, uidOf: (name: string) => string): Named | undefined {
  const name = textAt(details, 'name');
  return name === undefined ? undefined : { uid: uidOf(name), name };
}

function instanceOf(resource: JsonObject | undefined, { partition, region, account }: Where): Named | undefined {
  const details = objectAt(resource, 'instanceDetails');
  const id = textAt(details, 'instanceId');
  if (id === undefined) return undefined;
  const tag = objectsAt(details, 'tags').find((one) => textAt(one, 'key') === 'Name');
  return { uid: `arn:${partition}:ec2:${region ?? ''}:${account ?? ''}:instance/${id}`, name: textAt(tag, 'value') ?? id };
}

function identityOf(details: JsonObject | undefined, { partition, account = '' }: Where): Named | undefined {
  const name = textAt(details, 'userName') ?? textAt(details, 'principalId');
  if (name === undefined) return undefined;
  const kind = textAt(details, 'userType')?.toLowerCase() ?? '';
  const iam = `arn:${partition}:iam::${account}`;
  if (kind === 'root') return { uid: `${iam}:root`, name: 'root' };
  return { uid: `${iam}:${kind.includes('role') ? 'role' : 'user'}/${name}`, name };
}

function containerOf(details: JsonObject | undefined): Named | undefined {
  const image = textAt(details, 'image');
  return image === undefined ? undefined : { uid: image, type: 'container_image', name: textAt(details, 'name') ?? image };
}

/** An attack sequence names the resources that it touched, first those under attack. */
function sequenceResource(finding: JsonObject, where: Where): Named | undefined {
  const sequence = objectAt(objectAt(objectAt(finding, 'service'), 'detection'), 'sequence');
  for (const resource of objectsAt(sequence, 'resources')) {
    const uid = textAt(resource, 'uid');
    if (uid?.startsWith('arn:') === true) return { uid, name: textAt(resource, 'name') };
  }
  const user = objectAt(objectsAt(sequence, 'actors')[0], 'user');
  return user === undefined ? undefined : identityOf({ userName: textAt(user, 'name'), userType: textAt(user, 'type') }, where);
}

function metadataOf(finding: JsonObject): Record<string, unknown> {
  const resource = objectAt(finding, 'resource');
  const instance = objectAt(resource, 'instanceDetails');
  const network = objectsAt(instance, 'networkInterfaces')[0];
  const workload = objectAt(objectAt(resource, 'kubernetesDetails'), 'kubernetesWorkloadDetails');
  return compact({
    partition: textAt(finding, 'partition'),
    instance_type: textAt(instance, 'instanceType'),
    image_id: textAt(instance, 'imageId'),
    vpc_id: textAt(network, 'vpcId'),
    public_ip: textAt(network, 'publicIp'),
    private_ip: textAt(network, 'privateIpAddress'),
    workload:
      workload && compact({ kind: textAt(workload, 'type'), namespace: textAt(workload, 'namespace'), name: textAt(workload, 'name') }),
  });
}
