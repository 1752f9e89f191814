import { bufferSource, findImporter } from '../../importers/index.js';
import type { AssetInput } from '../../importers/types.js';
import { fixture } from './fixtures.js';
import { readAll, type Gathered } from './read-all.js';

const assets = ({ items }: Gathered): AssetInput[] => items.flatMap((item) => (item.kind === 'asset' ? [item.asset] : []));
const places = ({ observations }: Gathered): (string | undefined)[][] =>
  observations.map(({ resource_type, resource_uid, discriminator }) => [resource_type, resource_uid, discriminator]);

/** A report of a cloud, with services as ScoutSuite keeps them. */
const reportOf = (provider_code: string, services: object) => ({
  account_id: 'estate',
  last_run: { ruleset_name: 'default', time: '2024-05-06 07:08:09+0000', version: '5.14.0' },
  provider_code,
  services,
});

const finding = (items: string[]) => ({ description: 'A <b>rule</b> of<br>ours', level: 'danger', service: 'Network', items });

it('the script and the JSON of a report tell the same', async () => {
  const script = fixture('scoutsuite', 'results.js');
  expect((await readAll('scoutsuite', script)).items).toEqual((await readAll('scoutsuite', fixture('scoutsuite', 'results.json'))).items);
  expect(await findImporter('scoutsuite')?.observedAt?.(bufferSource(script))).toEqual(new Date('2024-05-06T07:08:09Z'));
});

it('findings are of the assets that the report tells, however deep in them an item lies, or of what no table knows', async () => {
  const read = await readAll('scoutsuite', fixture('scoutsuite', 'results.json'));
  expect(places(read)).toEqual([
    ['aws_security_group', 'arn:aws:ec2:eu-west-1:111122223333:security-group/sg-0a1', 'rules.ingress.protocols.TCP.ports.22.cidrs.0.CIDR'],
    ['aws_s3_bucket', 'arn:aws:s3:::logs', 'logging'],
    ['aws_s3_bucket', 'arn:aws:s3:::shop', 'logging'],
    ['aws_cloudwatch_alarm', 'aws:111122223333:cloudwatch/regions/eu-west-1/alarms/a1b2', undefined],
  ]);
  expect(assets(read).map(({ resource_uid }) => resource_uid)).toEqual(
    expect.arrayContaining(['arn:aws:ec2:eu-west-1:111122223333:security-group/sg-0a1', 'arn:aws:s3:::logs', 'arn:aws:s3:::shop']),
  );
  expect(assets(read)[0]).toMatchObject({
    region: 'eu-west-1',
    configuration: { vpc_id: 'vpc-1', ingress: [{ protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: ['0.0.0.0/0'] }], egress: [] },
    // ScoutSuite keeps a part of each resource: what it leaves out is not absent
    unknown_paths: ['*'],
  });
});

it('rules of an Azure network security group are those of people, not the defaults', async () => {
  const rule = {
    default: false,
    priority: 100,
    direction: 'Inbound',
    protocol: 'Tcp',
    source_address_prefixes: ['*'],
    source_ports: ['0-65535'],
    destination_address_prefixes: ['*'],
    destination_ports: ['22'],
  };
  const read = await readAll(
    'scoutsuite',
    reportOf('azure', {
      network: {
        findings: { open: finding(['network.subscriptions.s1.security_groups.n1.security_rules.r1']) },
        subscriptions: {
          s1: {
            security_groups: {
              n1: {
                name: 'web',
                location: 'westeurope',
                resource_group_name: 'rg',
                security_rules: {
                  r1: { ...rule, name: 'ssh', allow: true },
                  r2: { ...rule, name: 'DenyAllInBound', default: true, allow: false },
                },
              },
            },
          },
        },
      },
    }),
  );
  const uid = '/subscriptions/s1/resourceGroups/rg/providers/Microsoft.Network/networkSecurityGroups/web';
  expect(places(read)).toEqual([['azurerm_network_security_group', uid, 'security_rules.r1']]);
  expect(read.observations).toMatchObject([{ title: 'A rule of ours', severity: 'high', provider: 'azure', account_id: 's1' }]);
  expect(assets(read)).toMatchObject([
    { resource_uid: uid, configuration: { security_rule: [{ name: 'ssh', access: 'Allow', destination_port_ranges: ['22'] }] } },
  ]);
});

it('a firewall of Google Cloud allows what its traffic says', async () => {
  const firewall = {
    name: 'ssh',
    direction: 'INGRESS',
    source_ranges: ['0.0.0.0/0'],
    allowed_traffic: { tcp: ['22'], icmp: ['*'] },
    denied_traffic: {},
  };
  const read = await readAll(
    'scoutsuite',
    reportOf('gcp', {
      computeengine: {
        findings: { open: finding(['computeengine.projects.p1.firewalls.f1', 'computeengine.projects.p1.routers.r9.nat']) },
        projects: { p1: { firewalls: { f1: firewall } } },
      },
    }),
  );
  expect(places(read)).toEqual([
    ['google_compute_firewall', 'projects/p1/global/firewalls/ssh', undefined],
    ['google_computeengine_router', 'gcp:p1:computeengine/projects/p1/routers/r9', 'nat'],
  ]);
  expect(assets(read).map(({ configuration }) => configuration)).toMatchObject([
    {
      project: 'p1',
      allow: [
        { protocol: 'tcp', ports: ['22'] },
        { protocol: 'icmp', ports: [] },
      ],
      deny: [],
    },
  ]);
});

it('members that are no resources are broken and cost nothing else', async () => {
  const read = await readAll(
    'scoutsuite',
    reportOf('aws', { s3: { buckets: { a: 7, b: null, c: { name: 'c' } }, findings: { f: 'none' } } }),
  );
  expect(read.broken.map(({ position }) => position)).toEqual(['services.s3.buckets.a', 'services.s3.findings.f']);
  expect(assets(read).map(({ resource_uid }) => resource_uid)).toEqual(['arn:aws:s3:::c']);
});
