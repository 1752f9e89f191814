import type { CloudResource } from '../../normalize/cloud-resource.js';
import { compact, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';

/** Members by which AWS names what has no ARN in its description -> the service and the kind in its ARN; the first that a resource has. */
const AWS_IDS: readonly (readonly [member: string, service: string, kind: string])[] = [
  ['InstanceId', 'ec2', 'instance/'],
  ['VolumeId', 'ec2', 'volume/'],
  ['SnapshotId', 'ec2', 'snapshot/'],
  ['NetworkInterfaceId', 'ec2', 'network-interface/'],
  ['GroupId', 'ec2', 'security-group/'],
  ['RouteTableId', 'ec2', 'route-table/'],
  ['NatGatewayId', 'ec2', 'natgateway/'],
  ['AllocationId', 'ec2', 'elastic-ip/'],
  ['ImageId', 'ec2', 'image/'],
  ['SubnetId', 'ec2', 'subnet/'],
  ['VpcId', 'ec2', 'vpc/'],
];
/** What stands beside the own ARN of a resource: `TableArn` beside `TableName`. */
const NAMES = ['Name', 'Id', 'Identifier', 'Status'];

/** Where the policy looked. */
export interface CustodianRun {
  account: string | undefined;
  region: string | undefined;
}

/** The resource that a policy matched, as its cloud describes it; undefined for what names itself by nothing that is known. */
export function matchedResource(record: JsonObject, run: CustodianRun): CloudResource | undefined {
  const tags = objectsAt(record, 'Tags').find((tag) => textAt(tag, 'Key') === 'Name');
  const base = { account: textAt(record, 'OwnerId') ?? run.account, region: regionOf(record) ?? run.region, name: textAt(tags, 'Value') };
  const id = textAt(record, 'id');
  if (id !== undefined && /^\/subscriptions\//i.test(id))
    return { ...base, uid: id, provider: 'azure', name: textAt(record, 'name'), region: textAt(record, 'location') };
  const link = /^https:\/\/(?:www\.googleapis\.com\/(\w+)|(\w+)\.googleapis\.com\/(?:compute\/)?)\/?v\d\w*\/(.+)$/.exec(
    textAt(record, 'selfLink') ?? '',
  );
  if (link !== null)
    return { ...base, uid: `//${link[1] ?? link[2]}.googleapis.com/${link[3]}`, provider: 'gcp', name: textAt(record, 'name') };
  const arn = arnOf(record);
  if (arn !== undefined) return { ...base, uid: arn, provider: 'aws', name: base.name ?? nameOf(record) };
  const known = AWS_IDS.find(([member]) => textAt(record, member) !== undefined);
  if (known !== undefined) {
    const own = textAt(record, known[0]) as string;
    return {
      ...base,
      uid: `arn:aws:${known[1]}:${base.region ?? ''}:${base.account ?? ''}:${known[2]}${own}`,
      provider: 'aws',
      name: base.name ?? own,
    };
  }
  const bucket = textAt(record, 'CreationDate') === undefined ? undefined : textAt(record, 'Name');
  if (bucket !== undefined) return { ...base, uid: `arn:aws:s3:::${bucket}`, provider: 'aws', name: bucket };
  const uid = id ?? nameOf(record) ?? textAt(record, 'name');
  return uid === undefined ? undefined : { ...base, uid, name: textAt(record, 'name') };
}

/** The ARN of the resource itself, not one of what it uses. */
function arnOf(record: JsonObject): string | undefined {
  const isArn = (text: string | undefined): text is string => text?.startsWith('arn:') === true;
  const plain = ['Arn', 'arn', 'ARN', 'c7n:arn'].map((name) => textAt(record, name)).find(isArn);
  if (plain !== undefined) return plain;
  for (const member of Object.keys(record)) {
    const kind = /^(.+)(?:Arn|ARN)$/.exec(member)?.[1];
    if (kind !== undefined && NAMES.some((name) => textAt(record, kind + name) !== undefined) && isArn(textAt(record, member)))
      return textAt(record, member);
  }
  return undefined;
}

function nameOf(record: JsonObject): string | undefined {
  const member = Object.keys(record).find((name) => /^[A-Z]\w*(?:Name|Identifier)$/.test(name) && textAt(record, name) !== undefined);
  return member === undefined ? undefined : textAt(record, member);
}

function regionOf(record: JsonObject): string | undefined {
  const zone = textAt(objectAt(record, 'Placement'), 'AvailabilityZone') ?? textAt(record, 'AvailabilityZone');
  return zone?.replace(/(\d)[a-z]$/, '$1');
}

/** What is kept of a matched resource beside its identity. */
export const matchedEvidence = (record: JsonObject): Record<string, unknown> =>
  compact({ matched_filters: record['c7n:MatchedFilters'], status: textAt(record, 'c7n:status') });
