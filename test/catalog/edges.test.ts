import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configurationWith, merged, parsePath } from '../../catalog/attribute-path.js';
import { CONTAINER_IMAGE, readEdges, type EdgeLine } from '../../catalog/edge-files.js';
import { edgeLines, meaningOf, namesOf, plain, referencesOf, type Linked } from '../../catalog/edges.js';
import { PROVIDERS } from '../../schema/model.js';
import { needing, shared } from '../support/shared.js';

const schemas = shared('data/provider-schemas');
const viaOf = ({ from, to }: EdgeLine): string => [from?.path, to?.path].filter(Boolean).join(' + ');

/** Types that the providers have and the schemas that we were given lack. */
const UNLISTED = new RegExp(
  `^(?:alicloud_(?:vpc|vswitch|security_group|security_group_rule|instance|disk|disk_attachment|eip_address|eip_association|nat_gateway|route_entry|route_table|db_instance|db_database|db_account|cs_kubernetes_node_pool|fcv3_function|fcv3_trigger)|oci_(?:objectstorage_bucket|objectstorage_preauthrequest|containerengine_cluster|containerengine_node_pool|apigateway_gateway|apigateway_deployment|datascience_notebook_session|datascience_project))$`,
);

/** What is behind a document of JSON, and what manifests have where Terraform has another name. */
const BEYOND_SCHEMA = /^container_definitions\[\]\.(?:image|secrets\[\]\.valueFrom)$|\.(?:containers|initContainers)\[\]\.image$/;
const MANIFESTS_ALONE = new Set(['kubernetes_daemon_set', 'kubernetes_replica_set']);

needing(schemas).it('every type and attribute is one of the provider', () => {
  const types = new Map<string, string[]>();
  for (const file of readdirSync(schemas!).filter((name) => name.endsWith('.jsonl')))
    for (const line of readFileSync(join(schemas!, file), 'utf8').split('\n').filter(Boolean)) {
      const { type, attrs } = JSON.parse(line) as { type: string; attrs: { p: string }[] };
      types.set(type, [...(types.get(type) ?? []), ...attrs.map(({ p }) => plain(p))]);
    }
  const faults = edgeLines().flatMap((line) => {
    const named = [line.type, ...(line.from?.types ?? []), ...(line.to?.types ?? [])];
    const paths = [line.from?.path, line.to?.path].filter((path) => path !== undefined);
    return [
      ...named
        .filter((type) => !types.has(type) && !UNLISTED.test(type) && type !== CONTAINER_IMAGE && !MANIFESTS_ALONE.has(type))
        .map((type) => `${line.type}: there is no type ${type}`),
      ...paths
        .filter((path) => types.has(line.type) && !types.get(line.type)!.includes(plain(path)))
        .filter((path) => !BEYOND_SCHEMA.test(path))
        .map((path) => `${line.type} has no attribute ${path}`),
    ];
  });
  expect(faults).toEqual([]);
});

describe('each line', () => {
  it.each(PROVIDERS)('of %s finds each of its targets by its id', (provider) => {
    const lines = edgeLines().filter((line) => line.provider === provider);
    expect(lines.length).toBeGreaterThanOrEqual({ aws: 200, azure: 100, gcp: 90, oci: 40, alicloud: 40, ibm: 35, k8s: 30 }[provider]);
    for (const line of lines) {
      const ends = [line.from, line.to].filter((end) => end !== null);
      for (const types of ends[0]!.types.map((type) => [type, ends[1]?.types[0]])) {
        const target = (at: number): Linked => ({
          resource_uid: types[at] === CONTAINER_IMAGE ? 'ghcr.io/shop/cart:1.4' : `uid/${at}/Of-A-Target`,
          resource_type: types[at]!,
          provider,
          account_id: 'one',
          configuration: { name: `name-${at}` },
        });
        const configuration = ends
          .map((end, at) => configurationWith(parsePath(end.path), at === 0 ? target(0).resource_uid : 'name-1'))
          .reduce((one, other) => merged(one, other) as Record<string, unknown>);
        const asset = { resource_uid: 'it', resource_type: line.type, provider, account_id: 'one', configuration };
        const reference = referencesOf(asset).find(({ via, kind }) => via === viaOf(line) && kind === line.kind)!;
        const names = [reference.from, reference.to].filter((end) => end !== null);
        expect(names).toHaveLength(ends.length);
        names.forEach(([first], at) => expect(first!.filter((name) => namesOf(target(at)).includes(name))).not.toEqual([]));
        if (ends.length === 1)
          expect(meaningOf(line.type, `${ends[0]!.path.replaceAll('[]', '[0]')}`, types[0]!)).toEqual({
            kind: line.kind,
            reversed: line.from !== null,
          });
      }
    }
  });
});

const instance = (configuration: Record<string, unknown>, account_id = 'one'): Linked => ({
  ...{ resource_uid: 'i', resource_type: 'aws_instance', provider: 'aws' as const },
  ...{ account_id, configuration },
});

describe('names', () => {
  const profile = (account_id: string | null): Linked => ({
    ...{ resource_uid: 'arn:aws:iam::1:instance-profile/web', resource_type: 'aws_iam_instance_profile', provider: 'aws' as const },
    ...{ account_id, configuration: { id: 'web', name: 'web', arn: 'arn:aws:iam::1:instance-profile/web' } },
  });
  const found = (asset: Linked, target: Linked) =>
    referencesOf(asset).flatMap(({ to }) => (to ?? []).flat().filter((name) => namesOf(target).includes(name)));

  it('of an account are found in that account alone, and those of all the world everywhere', () => {
    expect(found(instance({ iam_instance_profile: 'web' }), profile('one'))).not.toEqual([]);
    expect(found(instance({ iam_instance_profile: 'web' }), profile('two'))).toEqual([]);
    const bucket = { ...profile('two'), resource_type: 'aws_s3_bucket', resource_uid: 'b', configuration: { bucket: 'logs' } };
    expect(found({ ...instance({ s3_bucket_name: 'logs' }), resource_type: 'aws_cloudtrail' }, bucket)).not.toEqual([]);
  });

  it("of Azure are the same in any case, and Google's with and without the address of the API", () => {
    const id = '/subscriptions/S/resourceGroups/G/providers/Microsoft.Network/virtualNetworks/v/subnets/s';
    const subnet: Linked = { ...instance({ id }), resource_uid: id, resource_type: 'azurerm_subnet', provider: 'azure' };
    const nic = { ...instance({ ip_configuration: [{ subnet_id: id.toUpperCase() }] }), resource_type: 'azurerm_network_interface' };
    const asFrom = ({ from }: { from: readonly string[][] | null }) => (from ?? []).flat();
    expect(referencesOf({ ...nic, provider: 'azure' }).flatMap(asFrom)).toEqual(expect.arrayContaining([namesOf(subnet)[0]]));
    const network: Linked = {
      ...instance({ id: 'projects/p/global/networks/n' }),
      resource_type: 'google_compute_network',
      provider: 'gcp',
    };
    const rule = {
      ...instance({ network: 'https://www.googleapis.com/compute/v1/projects/p/global/networks/n' }),
      provider: 'gcp' as const,
    };
    expect(found({ ...rule, resource_type: 'google_compute_firewall' }, network)).toEqual([
      'google_compute_network projects/p/global/networks/n',
    ]);
  });

  it('of images are those that people write: with and without the registry and the tag, by digest, and in a document of JSON', () => {
    const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
    const image = (resource_uid: string, configuration: Record<string, unknown> | null = null): Linked => ({
      ...{ resource_uid, resource_type: CONTAINER_IMAGE, provider: 'aws', account_id: 'two' },
      configuration,
    });
    const task = (name: string) => ({
      ...instance({ container_definitions: JSON.stringify([{ name: 'a' }, { name: 'b', image: name }]) }),
      resource_type: 'aws_ecs_task_definition',
    });
    expect(found(task('nginx'), image('docker.io/library/nginx:latest'))).toHaveLength(1);
    expect(found(task('index.docker.io/library/nginx:1.25'), image('nginx:1.25'))).toHaveLength(1);
    expect(found(task('nginx:1.25'), image('nginx:1.26'))).toEqual([]);
    expect(found(task(`ghcr.io/shop/cart@${digest}`), image('mirror.example.com/cart:9', { digests: [`cart@${digest}`] }))).toHaveLength(1);
    expect(found(task(`ghcr.io/shop/cart:1.4@${digest}`), image('ghcr.io/shop/cart:1.4'))).toEqual([]);
    expect(namesOf(image('cart.tar'))).toEqual([]);
    for (const broken of ['[{', '{"image": 7}', '"nginx"', '[[["nginx"]]]'])
      expect(referencesOf({ ...task(''), configuration: { container_definitions: broken } })).toEqual([]);
  });

  it('that are open, documents or none are not followed', () => {
    for (const value of ['${aws_subnet.a.id}', '', 'a\nb', 'x'.repeat(2_000), 7, null, { a: 1 }])
      expect(referencesOf(instance({ subnet_id: value }))).toEqual([]);
    expect(referencesOf({ ...instance({}), configuration: null })).toEqual([]);
    const many = Array.from({ length: 100_000 }, (_, n) => `sg-${n}`);
    expect(referencesOf(instance({ vpc_security_group_ids: many }))[0]!.to).toHaveLength(500);
  });
});

it('what is wrong with a file is told by type and attribute', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-edges-'));
  try {
    writeFileSync(
      join(folder, 'aws.yaml'),
      'aws_a: { b: contains -> aws_c, c: owns -> aws_c, d: nothing, e: contains -> google_c, "f + g": contains -> aws_c }',
    );
    writeFileSync(join(folder, 'other.yaml'), 'a: {}');
    const mistakes: string[] = [];
    expect(readEdges(folder, mistakes)).toHaveLength(1);
    expect(mistakes).toEqual([
      'edges/aws.yaml: aws_a.c: there is no kind owns',
      'edges/aws.yaml: aws_a.d: is not written as edges are',
      'edges/aws.yaml: aws_a.e: google_c is no type of aws',
      'edges/aws.yaml: aws_a.f + g: is not written as edges are',
      'edges/other.yaml: is no file of a provider',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
