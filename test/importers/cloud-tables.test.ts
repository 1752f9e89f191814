import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resourcesOfEntry } from '../../importers/cloud/map.js';
import { cloudTable, type ValueSource } from '../../importers/cloud/table.js';
import { needing, shared } from '../support/shared.js';
import { fixture } from './fixtures.js';

const schemas = shared('data/provider-schemas');

/** Attributes that providers compute, which the schemas that we were given lack. */
const COMPUTED =
  /\.(?:arn|owner_id|unique_id|policy_id|public_ip|public_dns|private_dns|private_ip|volume_size|encrypted|kms_key_id|allocation_id|association_id|accept_status|key_type|fingerprint|address|endpoint|vpc_id|role_last_used(?:\..+)?|home_region|rotation_enabled|platform_version|cluster_security_group_id|dns_name|domain_name|status|type|not_before|not_after|renewal_eligibility|recovery_points|name|vault_uri|virtual_machine_id|private_ip_address|ip_address|principal_id|client_id|tenant_id|fully_qualified_domain_name)$/;

/** The attribute paths that the sources of a type fill. */
const filled = (values: Readonly<Record<string, ValueSource>>, before = ''): string[] =>
  Object.entries(values).flatMap(([name, source]) => [
    `${before}${name}`,
    ...(typeof source === 'object' && !Array.isArray(source) && ('block' in source || 'blocks' in source)
      ? filled(source.values, `${before}${name}.`)
      : []),
  ]);

needing(schemas).it.each([
  ['aws', 'aws.jsonl'],
  ['azure', 'azurerm.jsonl'],
] as const)('every type and attribute of the table of %s is one of the provider', (provider, file) => {
  const known = new Map<string, Set<string>>();
  for (const line of readFileSync(join(schemas!, file), 'utf8').trim().split('\n')) {
    const { type, attrs } = JSON.parse(line) as { type: string; attrs: { p: string }[] };
    const paths = known.get(type) ?? new Set<string>();
    known.set(type, paths);
    for (const { p } of attrs) paths.add(p.replaceAll('[]', ''));
  }
  const faults = cloudTable(provider).things.flatMap((thing) =>
    [thing, ...thing.more].flatMap(({ type, values }) =>
      known.has(type)
        ? filled(values)
            .map((path) => `${type}.${path}`)
            .filter((path) => !known.get(type)!.has(path.slice(type.length + 1)) && !COMPUTED.test(path))
        : [type],
    ),
  );
  expect(faults).toEqual([]);
});

it('the details of an account become its identities, policies and memberships', () => {
  const account = JSON.parse(fixture('aws_answers', 'account.json').toString()) as Record<string, Record<string, unknown>[]>;
  const place = { account: undefined, region: undefined };
  const instances = Object.entries(account).flatMap(([list, entries]) =>
    entries.flatMap((entry) => resourcesOfEntry(list, entry, place, list)),
  );
  const of = (type: string) => instances.filter((instance) => instance.type === type).map(({ values }) => values);
  expect(instances.map(({ type }) => type).sort()).toEqual([
    'aws_iam_group',
    'aws_iam_policy',
    'aws_iam_role',
    'aws_iam_user',
    'aws_iam_user_group_membership',
    'aws_iam_user_policy',
    'aws_iam_user_policy_attachment',
  ]);
  expect(of('aws_iam_user_group_membership')).toEqual([{ id: 'ann-groups', user: 'ann', groups: ['ops'] }]);
  expect(of('aws_iam_user_policy_attachment')).toMatchObject([{ user: 'ann', policy_arn: 'arn:aws:iam::aws:policy/ReadOnlyAccess' }]);
  expect(of('aws_iam_policy')).toMatchObject([{ policy: '{"Statement":[{"Effect":"Allow","Action":"ec2:*","Resource":"*"}]}' }]);
  expect(of('aws_iam_role')).toMatchObject([
    { managed_policy_arns: ['arn:aws:iam::111122223333:policy/limit'], role_last_used: [{ region: 'eu-west-1' }] },
  ]);
  expect(of('aws_iam_user')).toMatchObject([{ name: 'ann', tags: { team: 'payments' } }]);
});
