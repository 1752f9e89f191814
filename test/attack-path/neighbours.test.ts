import { arn, from, OUT, resource, state, WEB } from '../network/estate.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const APP = arn('instance/i-app');
const ROLE = 'arn:aws:iam::111122223333:role/app';
const BUCKET = 'arn:aws:s3:::patients';
const policy = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement });

/** A server that everybody gets to, and behind it one whose role reads a bucket with data of patients. @param port that the one behind opens to the one in front */
const estate = (port: number) =>
  state(
    [443],
    [
      resource('aws_security_group', 'app', {
        ...{ arn: arn('security-group/sg-app'), id: 'sg-app', vpc_id: 'vpc-1', egress: OUT },
        ingress: [{ protocol: 'tcp', from_port: port, to_port: port, security_groups: ['sg-web'] }, from(22, '10.9.0.0/16')],
      }),
      resource('aws_instance', 'app', {
        ...{ arn: APP, id: 'i-app', subnet_id: 'subnet-1', vpc_security_group_ids: ['sg-app'], public_ip: '', private_ip: '10.0.1.6' },
        iam_instance_profile: 'app',
      }),
      resource('aws_iam_instance_profile', 'app', { arn: 'arn:aws:iam::111122223333:instance-profile/app', name: 'app', role: 'app' }),
      resource('aws_iam_role', 'app', {
        ...{ arn: ROLE, name: 'app', id: 'app' },
        assume_role_policy: policy({ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'ec2.amazonaws.com' } }),
        inline_policy: [{ name: 'read', policy: policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: `${BUCKET}/*` }) }],
      }),
      resource('aws_s3_bucket', 'patients', { arn: BUCKET, id: 'patients', bucket: 'patients', tags: { 'data-classification': 'phi' } }),
    ],
  );
/** Nginx with a hole that runs code, on some instances. */
const holes = (...instances: string[]) => ({
  findings: instances.map((id) => ({
    ...{ findingArn: `arn:aws:inspector2:eu-west-1:111122223333:finding/${id}`, awsAccountId: '111122223333', severity: 'CRITICAL' },
    ...{ type: 'PACKAGE_VULNERABILITY', description: 'It runs code.', title: 'CVE-2026-1111 - nginx', status: 'ACTIVE' },
    ...{ firstObservedAt: '2026-03-01T10:00:00Z', lastObservedAt: '2026-03-02T10:00:00Z', updatedAt: '2026-03-02T10:00:00Z' },
    resources: [{ type: 'AWS_EC2_INSTANCE', id, partition: 'aws', region: 'eu-west-1', details: { awsEc2Instance: { type: 't3.small' } } }],
    packageVulnerabilityDetails: {
      ...{
        vulnerabilityId: 'CVE-2026-1111',
        source: 'NVD',
        sourceUrl: 'https://nvd.nist.gov/vuln/detail/CVE-2026-1111',
        referenceUrls: [],
      },
      vulnerablePackages: [{ name: 'nginx', version: '1.0.0', packageManager: 'OS', fixedInVersion: '1.0.1' }],
      cvss: [{ baseScore: 9.8, scoringVector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', version: '3.1', source: 'NVD' }],
    },
    ...{ fixAvailable: 'YES', exploitAvailable: 'YES', epss: { score: 0.9 } },
  })),
});

const take = async (client: Client, report: unknown) => expect(await client.import(report)).toMatchObject({ state: 'COMPLETED' });
interface Detail {
  path: { pattern: string[] };
  nodes: { uid: string; kind: string; name: string }[];
  steps: { kind: string; conditions: { text: string; engine: string }[]; masked: boolean }[];
}
async function paths(client: Client): Promise<Detail[]> {
  const { items } = (await client.call<{ items: { path_id: string }[] }>('/api/v1/attack-paths')).body;
  return Promise.all(items.map(async ({ path_id }) => (await client.call<Detail>(`/api/v1/attack-paths/${path_id}`)).body));
}

it('who has won the server in front goes on to the one behind where the network lets it through to what is weak, and not else', async () => {
  const tenant = await world.tenant();
  const client = await tenant.as('analyst');
  await take(client, estate(8080));
  await take(client, holes(WEB, APP));
  const [path, ...others] = await paths(client);
  expect(others).toEqual([]);
  expect(path!.nodes.map(({ uid, kind }) => (kind === 'segment' ? kind : uid))).toEqual(['internet', WEB, 'segment', APP, ROLE, BUCKET]);
  expect(path!.nodes[2]).toMatchObject({ name: 'sg-web in subnet-1' });
  expect(path!.steps.map(({ kind, conditions }) => [kind, conditions[0]!.text, conditions[0]!.engine])).toEqual([
    ['initial_access', 'The internet reaches it at port 443', 'network-security'],
    ['within_network', 'Its network treats it as sg-web in subnet-1', 'network-security'],
    ['lateral_movement', 'The network lets it through to port 8080', 'network-security'],
    ['identity_of_code', `It runs as ${ROLE}`, 'inventory'],
    ['data_access', expect.stringContaining('allows it'), 'iam'],
  ]);
  // nginx listens at 8080, and nothing of it at 5432
  await take(client, estate(5432));
  expect(await paths(client)).toEqual([]);
  await take(client, estate(443));
  expect(await paths(client)).toHaveLength(1);
  const other = await (await world.tenant()).as('analyst');
  await take(other, estate(443));
  expect(await paths(other)).toEqual([]);
});
