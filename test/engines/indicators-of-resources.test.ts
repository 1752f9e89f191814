import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threatShown } from '../../subgraphs/threat/resources/records.js';
import { openWorld, type Client, type World } from '../support/world.js';

const DAY = 86_400_000;
const NOON = new Date(Math.floor(Date.now() / DAY - 2) * DAY + DAY / 2);
const at = (days: number) => new Date(NOON.getTime() + days * DAY).toISOString();
const digestOf = (letter: string) => letter.repeat(64);

interface Found {
  finding_id: string;
  rule_id: string;
  resource_uid: string;
  status: string;
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const newClient = async () => (await world.tenant()).as('tenant_admin');
const bring = async (client: Client, report: object | string, options: Parameters<Client['import']>[1] = {}) => {
  const run = await client.import(report, options);
  expect([run.state, run.errors]).toEqual(['COMPLETED', []]);
  return run;
};
const findings = async (client: Client) =>
  (await client.call<{ items: Found[] }>('/api/v1/threat/findings?status=OPEN,RESOLVED')).body.items
    .map(({ rule_id, resource_uid, status }) => `${rule_id.replace('palisade-indicator-resource-', '')} ${resource_uid} ${status}`)
    .sort();

let no = 0;
const indicator = (pattern: string, more: object = {}) => ({
  ...{ type: 'indicator', spec_version: '2.1', id: `indicator--00000000-0000-4000-8000-${String(++no).padStart(12, '0')}` },
  ...{ created: at(-60), modified: at(-60), valid_from: at(-60), pattern, pattern_type: 'stix', ...more },
});
const ofHash = (letter: string, more: object = {}) => indicator(`[file:hashes.'SHA-256' = '${digestOf(letter)}']`, more);
const bundle = (...objects: object[]) => ({ type: 'bundle', id: 'bundle--00000000-0000-4000-8000-000000000000', objects });

/** Alerts of Falco, of a container whose image is known by its digest, of a file on a host, and of a connection. */
const falco = (day: number) =>
  [
    {
      rule: 'Drop and execute new binary in container',
      output_fields: {
        ...{ 'container.id': '0123456789ac', 'container.name': 'web', 'proc.name': 'xmrig' },
        ...{ 'container.image.digest': `sha256:${digestOf('a')}` },
      },
    },
    { rule: 'Unknown binary', output_fields: { 'container.id': 'host', 'proc.name': 'kworkerd', 'proc.sha256': digestOf('B') } },
    {
      rule: 'Outbound connection',
      output_fields: { 'container.id': 'host', 'proc.name': 'curl', 'fd.rip': '198.51.100.77', 'fd.rip.name': 'c2.evil.example' },
    },
  ]
    .map((one) =>
      JSON.stringify({ ...one, hostname: 'node-1', output: one.rule, priority: 'Critical', source: 'syscall', tags: [], time: at(day) }),
    )
    .join('\n');
const guardDuty = {
  Findings: [
    {
      ...{
        AccountId: '111122223333',
        Arn: 'arn:aws:guardduty:eu-west-1:111122223333:detector/d1/finding/f1',
        Id: 'f1',
        Region: 'eu-west-1',
      },
      ...{
        CreatedAt: at(0),
        UpdatedAt: at(0),
        Type: 'Execution:Runtime/NewBinaryExecuted',
        Severity: 5,
        SchemaVersion: '2.0',
        Partition: 'aws',
      },
      ...{ Title: 'A new binary ran', Description: 'A new binary ran on i-0aa11bb22cc33dd44.' },
      Resource: { ResourceType: 'Instance', InstanceDetails: { InstanceId: 'i-0aa11bb22cc33dd44', Tags: [] } },
      Service: {
        ...{ DetectorId: 'd1', EventFirstSeen: at(0), EventLastSeen: at(0), Archived: false, Count: 1 },
        RuntimeDetails: { Process: { Name: 'x', ExecutablePath: '/tmp/x', ExecutableSha256: digestOf('c') } },
      },
    },
  ],
};
/** A scan of an image, and a deployment that runs one by its digest. */
const scanned = (letter: string) => ({
  ...{ SchemaVersion: 2, ArtifactName: 'ghcr.io/shop/cart:1.4', ArtifactType: 'container_image' },
  Metadata: { RepoTags: ['ghcr.io/shop/cart:1.4'], RepoDigests: [`ghcr.io/shop/cart@sha256:${digestOf(letter)}`] },
  Results: [{ Target: 'ghcr.io/shop/cart:1.4 (debian 12)', Class: 'os-pkgs', Type: 'debian' }],
});
const deployment = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'cart', namespace: 'shop' } },
  spec: { template: { spec: { containers: [{ name: 'cart', image: `ghcr.io/shop/cart@sha256:${digestOf('e')}` }] } } },
};
/** What is on a host, file by file. */
const files = {
  ...{ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component: { type: 'device', name: 'node-1' } } },
  components: [
    { type: 'file', name: '/usr/bin/kworkerd', hashes: [{ alg: 'SHA-256', content: digestOf('f') }] },
    { type: 'library', name: 'left-pad', version: '1.0.0', purl: 'pkg:npm/left-pad@1.0.0' },
  ],
};
const filesAs = (specVersion: string, letter: string) => ({
  ...{ ...files, specVersion },
  components: [{ ...files.components[0], hashes: [{ alg: 'SHA-256', content: digestOf(letter) }] }],
});
const KNOWN = bundle(
  ...['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => ofHash(letter)),
  indicator("[domain-name:value = 'c2.evil.example']"),
  indicator("[ipv4-addr:value = '198.51.100.0/24']"),
);
const reports = async (client: Client) => {
  for (const report of [falco(0), guardDuty, scanned('d'), deployment, files]) await bring(client, report, { provider: 'aws' });
};

it('holds what alerts, images, deployments and hosts show against indicators, whichever of both comes first', async () => {
  const [before, behind] = [await newClient(), await newClient()];
  await bring(before, KNOWN);
  await reports(before);
  const found = await findings(before);
  expect(found).toEqual(
    [
      'address .*node-1',
      'domain .*node-1',
      'file-hash arn:.*i-0aa11bb22cc33dd44',
      'file-hash cluster/shop/Deployment/cart',
      'file-hash ghcr.*cart:1.4',
      'file-hash .*node-1',
      'file-hash .*node-1',
      'file-hash .*web',
    ].map((one) => expect.stringMatching(new RegExp(`^${one} OPEN$`)) as unknown),
  );
  await reports(behind);
  expect(await findings(behind)).toEqual([]);
  await bring(behind, KNOWN);
  expect(await findings(behind)).toEqual(found);
  const again = await bring(behind, KNOWN);
  expect(again.counts.new).toBe(0);
  // of another tenant it finds nothing
  const other = await newClient();
  await bring(other, bundle(ofHash('9')));
  expect(await findings(other)).toEqual([]);
});

it('goes by the time of an alert, and by the time for which an image has a digest', async () => {
  const client = await newClient();
  await bring(
    client,
    bundle(ofHash('a', { valid_until: at(-3) }), ofHash('b', { valid_from: at(1) }), ofHash('d', { valid_until: at(-3) })),
  );
  await bring(client, falco(0), { provider: 'aws' });
  await bring(client, scanned('d'), { provider: 'aws' });
  expect(await findings(client)).toEqual([]);
  await bring(client, falco(-4), { provider: 'aws' });
  expect(await findings(client)).toEqual([expect.stringMatching(/^file-hash .*web OPEN$/)]);
});

it('knows a digest from findings of an image until a later scan shows another', async () => {
  const client = await newClient();
  const scanner = readFileSync(join(__dirname, '../importers/fixtures/sysdig/scanner.json'), 'utf8');
  await bring(client, bundle(indicator(`[file:hashes.'SHA-256' = '${'4'.repeat(64)}']`)));
  await bring(client, scanner, { provider: 'aws' });
  expect(await findings(client)).toEqual([expect.stringMatching(/^file-hash .* OPEN$/)]);
  await bring(client, scanner.replace('4'.repeat(64), '5'.repeat(64)), { provider: 'aws' });
  expect(await findings(client)).toEqual([expect.stringMatching(/^file-hash .* RESOLVED$/)]);
});

it('closes what an image was found by that has another digest now, and what its feed takes back', async () => {
  const client = await newClient();
  const known = ofHash('b');
  await bring(client, bundle(ofHash('d'), known));
  await bring(client, scanned('d'), { provider: 'aws' });
  await bring(client, falco(0), { provider: 'aws' });
  expect(await findings(client)).toEqual([expect.stringMatching(/cart:1.4 OPEN$/), expect.stringMatching(/node-1 OPEN$/)]);
  await bring(client, scanned('7'), { provider: 'aws' });
  await bring(client, bundle({ ...known, revoked: true, modified: at(0) }));
  expect(await findings(client)).toEqual([expect.stringMatching(/cart:1.4 RESOLVED$/), expect.stringMatching(/node-1 RESOLVED$/)]);
  await bring(client, scanned('d'), { provider: 'aws' });
  expect(await findings(client)).toEqual([expect.stringMatching(/cart:1.4 OPEN$/), expect.stringMatching(/node-1 RESOLVED$/)]);
});

it('closes what a file of a host was found by that a later bill of materials lists no more, in whichever version of the format', async () => {
  const client = await newClient();
  await bring(client, bundle(ofHash('f')));
  await bring(client, filesAs('1.5', 'f'), { provider: 'aws' });
  expect(await findings(client)).toEqual([expect.stringMatching(/node-1 OPEN$/)]);
  await bring(client, filesAs('1.6', '8'), { provider: 'aws' });
  expect(await findings(client)).toEqual([expect.stringMatching(/node-1 RESOLVED$/)]);
});

/** A Terraform state of functions, by the digests of their images. */
const functions = (images: Readonly<Record<string, string>>) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'estate' },
  resources: Object.entries(images).map(([name, letter]) => ({
    ...{ mode: 'managed', type: 'aws_lambda_function', name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
    instances: [
      {
        attributes: {
          ...{ arn: `arn:aws:lambda:eu-central-1:111122223333:function:${name}`, function_name: name },
          image_uri: `111122223333.dkr.ecr.eu-central-1.amazonaws.com/cart@sha256:${digestOf(letter)}`,
        },
      },
    ],
  })),
});

it('closes what a resource was found by that is gone, and opens it when the resource is back', async () => {
  const client = await newClient();
  await bring(client, bundle(ofHash('a'), ofHash('b')));
  const [first, second] = ['first', 'second'].map((name) => `file-hash arn:aws:lambda:eu-central-1:111122223333:function:${name}`);
  await bring(client, functions({ first: 'a', second: 'b' }));
  expect(await findings(client)).toEqual([`${first} OPEN`, `${second} OPEN`]);
  await bring(client, functions({ first: 'a' }));
  expect(await findings(client)).toEqual([`${first} OPEN`, `${second} RESOLVED`]);
  await bring(client, functions({ first: 'a', second: 'b' }));
  expect(await findings(client)).toEqual([`${first} OPEN`, `${second} OPEN`]);
});

it('takes an alert of a time that is yet to come for one of now, so that it is not kept for ever', async () => {
  const tenant = await world.tenant();
  const client = await tenant.as('tenant_admin');
  await bring(client, bundle(ofHash('b')));
  await bring(client, falco(400), { provider: 'aws' });
  expect(await findings(client)).toEqual([expect.stringMatching(/node-1 OPEN$/)]);
  const rows = await world.database.tenant(tenant.tenant._id).collection(threatShown).find({});
  expect(rows.map(({ last_at }) => last_at.getTime() <= Date.now())).toEqual(rows.map(() => true));
});
