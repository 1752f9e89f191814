import { Facet } from '../../catalog/facet.js';
import type { FacetLine } from '../../catalog/facet-files.js';
import { endOfLife, versionNumber } from '../../catalog/end-of-life.js';
import { readDatabaseProduct, readDays, readKeySpec, readPrincipals, readSshKey } from '../../catalog/facet-readings.js';
import { readAllFacets, sampleFaults } from '../../catalog/facets.js';
import { readProviderSchemas } from '../../catalog/provider-schemas.js';
import { needing, shared } from '../support/shared.js';
import { PROVIDERS } from '../../schema/model.js';

const facets = readAllFacets();
const schemas = shared('data/provider-schemas');

/** The attributes that a line's expressions and paths name, without those that the provider fills itself. */
function pathsOf({ fields }: FacetLine): string[] {
  return Object.values(fields)
    .flat()
    .flatMap((source) => {
      if ('path' in source) return 'computed' in source && source.computed ? [] : [source.path];
      return 'cel' in source ? [...source.cel.matchAll(/\br\.([a-z_]+(?:\.[a-z_]+)*)(?!\w|\()/g)].map(([, path]) => path!) : [];
    });
}

/** Types of ours, which no provider's schema has. */
const OWN_TYPES = ['technology_target'];

describe.each(facets.map((facet) => [facet.name, facet] as const))('the facet %s', (_, source) => {
  it('has a sample for each type that sets every field that it maps', () => {
    expect(sampleFaults(source)).toEqual([]);
    const line = source.lines[0]!;
    const [field] = Object.keys(line.fields);
    expect(
      sampleFaults({ ...source, lines: [{ ...line, fields: { ...line.fields, [field!]: [{ path: 'no_such_attribute' }] } }] }),
    ).toEqual(line.type.map((type) => `${source.name}: the sample of ${type} leaves ${field} null`));
  });

  it('covers all seven providers, or says why it has nothing of one', () => {
    const without = PROVIDERS.filter((provider) => !source.lines.some((line) => line.provider === provider));
    expect(without).toEqual(PROVIDERS.filter((provider) => provider in source.without));
  });

  it('tells nothing of an asset that only findings name, but what its type says', () => {
    const facet = new Facet(source);
    for (const { provider, type, fields } of source.lines) {
      const asset = { resource_uid: 'x', resource_name: null, account_id: null, region: 'global', provider, resource_type: type[0]! };
      const told = facet.evaluate({ ...asset, configuration: null, unknown_paths: [], sensitive_paths: [] });
      const constant = Object.entries(fields).filter(([, sources]) => sources.some((one) => 'value' in one));
      for (const [field, value] of Object.entries(told))
        if (!constant.some(([name]) => name === field) && source.fields[field]!.derived === undefined)
          expect([field, value]).toEqual([field, null]);
    }
  });

  needing(schemas).it('names attributes that the provider has, where its schemas are at hand', () => {
    const { faults } = readProviderSchemas(schemas!);
    const wrong = source.lines
      .filter(({ type }) => !OWN_TYPES.includes(type[0]!))
      .flatMap((line) =>
        pathsOf(line).flatMap((path) =>
          faults({ rule_id: `${line.type.join()} ${path}`, resource_types: line.type, path, expression: '' } as never),
        ),
      );
    expect(wrong).toEqual([]);
  });
});

describe('the readings of attributes', () => {
  it.each([
    ['RSA_2048', 'rsa', 2048],
    ['RSA_SIGN_PSS_3072_SHA256', 'rsa', 3072],
    ['EC_SIGN_P384_SHA384', 'ec', 384],
    ['ECC_NIST_P521', 'ec', 521],
    ['ECC_SECG_P256K1', 'ec', 256],
    ['EC_prime256v1', 'ec', 256],
    ['ECDSA384', 'ec', 384],
    ['SYMMETRIC_DEFAULT', 'aes', 256],
    ['Aliyun_AES_256', 'aes', 256],
    ['HMAC_512', 'hmac', 512],
    ['TDES_2KEY', '3des', undefined],
    ['EC_SM2', 'sm2', 256],
    ['something', undefined, undefined],
  ])('read the key spec %s', (spec, algorithm, bits) => {
    const read = readKeySpec(spec);
    expect([read.algorithm, read.bits]).toEqual([algorithm, bits]);
  });

  it.each([
    ['P90D', 90],
    ['P2Y', 730],
    ['7776000s', 90],
    ['720h', 30],
    ['7d', 7],
    ['soon', undefined],
  ])('read the days of %s', (text, days) => {
    expect(readDays(text)).toBe(days);
  });

  it.each([
    ['aurora-postgresql', 'postgres'],
    ['POSTGRES_15', 'postgres'],
    ['databases-for-postgresql', 'postgres'],
    ['MySQL', 'mysql'],
    ['aurora', 'mysql'],
    ['MariaDB', 'mariadb'],
    ['sqlserver-ee', 'sqlserver'],
    ['SQLSERVER_2019_STANDARD', 'sqlserver'],
    ['oracle-se2', 'oracle'],
    ['docdb', 'documentdb'],
    ['databases-for-mongodb', 'mongodb'],
    ['Neptune', 'neptune'],
  ])('read the database product of %s', (text, product) => {
    expect(readDatabaseProduct(text)).toBe(product);
  });

  it.each([
    ['POSTGRES_15', '15'],
    ['MYSQL_8_0_36', '8.0.36'],
    ['SQLSERVER_2019_STANDARD', '2019'],
    ['V7_0_5', '7.0.5'],
    ['8.0.mysql_aurora.3.05.2', '8.0'],
    ['19.0.0.0.ru-2024-01.rur-2024-01.r1', '19.0.0.0'],
    ['2016_ent_ha', '2016'],
    ['latest', undefined],
  ])('read the version of %s', (text, version) => {
    expect(versionNumber(text)).toBe(version);
  });

  it('read the size of an RSA key of SSH from its modulus', () => {
    const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, bytes.length >> 8, bytes.length & 255]), bytes]);
    const modulus = Buffer.concat([Buffer.from([0]), Buffer.alloc(128, 255)]);
    const key = Buffer.concat([part(Buffer.from('ssh-rsa')), part(Buffer.from([1, 0, 1])), part(modulus)]).toString('base64');
    expect(readSshKey(`ssh-rsa ${key} somebody`)).toEqual({ algorithm: 'rsa', bits: 1024 });
    expect(readSshKey('no key at all')).toEqual({});
  });
});

describe('the end of life', () => {
  it.each([
    ['postgres', '13.4', '2025-11-13'],
    ['postgres', '9.6.24', '2021-11-11'],
    ['mysql', '8.0.mysql_aurora.3.05.2', '2026-04-30'],
    ['mariadb', '10.11.6', '2028-02-16'],
    ['sqlserver', '15.00.4073.23.v1', '2030-01-08'],
    ['sqlserver', '2019_STANDARD', '2030-01-08'],
    ['oracle', '12.2.0.1', '2022-03-31'],
    ['elasticsearch', '7.10', '2022-05-11'],
  ])('of %s %s is that of the longest number that it begins with', (product, version, day) => {
    expect(endOfLife(product, version)).toBe(day);
  });

  it.each([
    ['postgres', '9'],
    ['postgres', '130'],
    ['mysql', '8'],
    ['mariadb', '10.1'],
    ['mariadb', 'latest'],
    ['azure-sql', '12.0'],
    ['nothing', '1'],
  ])('of %s %s is not known', (product, version) => {
    expect(endOfLife(product, version)).toBeUndefined();
  });

  it('is a field of databases; null where the engine, the version or the day is not known', () => {
    const facet = new Facet(facets.find(({ name }) => name === 'database')!);
    const told = (configuration: Record<string, unknown>, more: { unknown_paths?: string[] } = {}) =>
      facet.evaluate({
        ...{ resource_uid: 'd', resource_type: 'aws_db_instance', resource_name: 'd', provider: 'aws', account_id: null, region: 'global' },
        ...{ configuration, unknown_paths: [], sensitive_paths: [], ...more },
      })['end_of_life'];
    expect(told({ engine: 'postgres', engine_version: '13.4' })).toEqual(new Date('2025-11-13T00:00:00Z'));
    for (const unknown of [
      { engine: 'postgres' },
      { engine: 'custom', engine_version: '1' },
      { engine: 'postgres', engine_version: '${var.v}' },
    ])
      expect(told(unknown)).toBeNull();
    expect(told({ engine: 'postgres' }, { unknown_paths: ['engine_version'] })).toBeNull();
  });
});

describe('what a type tells', () => {
  const asked = (name: string, resource_type: string, configuration: Record<string, unknown>) => {
    const source = facets.find((facet) => facet.name === name)!;
    const { provider } = source.lines.find(({ type }) => type.includes(resource_type))!;
    const asset = { resource_uid: 'x', resource_name: 'x', account_id: null, region: 'global', provider, resource_type };
    return new Facet(source).evaluate({ ...asset, configuration, unknown_paths: [], sensitive_paths: [] });
  };
  const policy = (statement: object) => JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] });
  const anybody = { Principal: { AWS: '*' }, Action: 'sqs:SendMessage', Resource: '*' };

  it.each<[string, string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'a new database has the defaults of its provider',
      'database aws_db_instance',
      { engine: 'mysql' },
      { encrypted: false, backup_days: 0 },
    ],
    ['a restored one takes them over', 'database aws_db_instance', { snapshot_identifier: 's' }, { encrypted: null, backup_days: null }],
    ['a default key is no own key', 'database aws_db_instance', { kms_key_id: 'arn:aws:kms:r:1:alias/aws/rds' }, { customer_key: false }],
    ['a server in a network is not public', 'database azurerm_postgresql_flexible_server', { delegated_subnet_id: 's' }, { public: false }],
    ['another is', 'database azurerm_postgresql_flexible_server', { version: '16' }, { public: true }],
    ['the single servers share a line', 'database azurerm_mariadb_server', { version: '10.3' }, { engine: 'mariadb', version: '10.3' }],
    [
      'TLS is asked for by the mode',
      'database google_sql_database_instance',
      { settings: [{ ip_configuration: [{ ssl_mode: 'ALLOW_UNENCRYPTED_AND_ENCRYPTED' }] }] },
      { tls: false, backup_days: 0, public: true },
    ],
    [
      'backups that are switched off are kept for no day',
      'database oci_mysql_mysql_db_system',
      { backup_policy: [{ is_enabled: false, retention_in_days: 7 }] },
      { backup_days: 0 },
    ],
    ['a bucket without access list or policy may be open', 'data_store aws_s3_bucket', { bucket: 'b' }, { public: null, versioned: null }],
    ['a private one, too', 'data_store aws_s3_bucket', { acl: 'private' }, { public: null }],
    ['a public list opens it', 'data_store aws_s3_bucket', { acl: 'public-read' }, { public: true }],
    ['a policy opens a queue', 'data_store aws_sqs_queue', { policy: policy(anybody) }, { public: true }],
    [
      'a condition closes it',
      'data_store aws_sqs_queue',
      { policy: policy({ ...anybody, Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:s3:::b' } } }) },
      { public: false },
    ],
    [
      'a domain in a network is not public',
      'data_store aws_opensearch_domain',
      { vpc_options: [{ subnet_ids: ['s'] }] },
      { public: false },
    ],
    ['another is', 'data_store aws_opensearch_domain', { domain_name: 'd' }, { public: true, encrypted: false }],
    ['seconds are days', 'data_store aws_sqs_queue', { message_retention_seconds: 345_600 }, { retention_days: 4, public: null }],
    ['0 days are for ever', 'data_store aws_cloudwatch_log_group', { retention_in_days: 0 }, { retention_days: null }],
    ['locally redundant is in one zone', 'data_store azurerm_storage_account', { account_replication_type: 'LRS' }, { replicated: false }],
  ])('%s', (_, facetAndType, configuration, expected) => {
    const [name, type] = facetAndType.split(' ') as [string, string];
    expect(asked(name, type, configuration)).toMatchObject(expected);
  });
});

const trust = (...statements: object[]) => JSON.stringify({ Version: '2012-10-17', Statement: statements });

describe('the principals of a trust policy', () => {
  it('are those of the statements that allow, each once', () => {
    const service = { Effect: 'Allow', Principal: { Service: ['ec2.amazonaws.com', 'ecs.amazonaws.com'] } };
    const denied = { Effect: 'Deny', Principal: { AWS: 'arn:aws:iam::444455556666:root' } };
    const others = { Effect: 'Allow', NotPrincipal: { AWS: 'arn:aws:iam::444455556666:root' } };
    expect(readPrincipals(trust(service, denied, service, others))).toBe(
      'Service:ec2.amazonaws.com, Service:ecs.amazonaws.com, not AWS:arn:aws:iam::444455556666:root',
    );
  });

  it('are not told when one of them is open', () => {
    expect(readPrincipals(trust({ Effect: 'Allow', Principal: { AWS: ['*', '${var.partner}'] } }))).toBeUndefined();
    expect(() => readPrincipals('no policy')).toThrow();
  });
});

describe('an identity', () => {
  const facet = new Facet(facets.find(({ name }) => name === 'identity')!);
  const identity = (resource_type: string, configuration: Record<string, unknown>, account_id: string | null = '111122223333') =>
    facet.evaluate({
      ...{ resource_uid: 'i', resource_name: 'i', provider: 'aws', region: 'global', resource_type, account_id, configuration },
      ...{ unknown_paths: [], sensitive_paths: [] },
    });
  const role = (configuration: Record<string, unknown>, account_id?: string | null) => identity('aws_iam_role', configuration, account_id);
  const trusting = (Principal: unknown) => ({ assume_role_policy: trust({ Effect: 'Allow', Action: 'sts:AssumeRole', Principal }) });
  const inline = (...policies: object[]) => policies.map((policy, n) => ({ name: `p${n}`, policy: trust(policy) }));
  const everything = { Effect: 'Allow', Action: '*', Resource: '*' };
  const reading = { Effect: 'Allow', Action: 's3:GetObject', Resource: '*' };
  const managed = (name: string) => [`arn:aws:iam::aws:policy/${name}`];

  it.each<[string, Record<string, unknown>, boolean | null, boolean | null]>([
    ['nothing of policies', {}, null, null],
    ['empty lists', { managed_policy_arns: [], inline_policy: [] }, null, null],
    ['the policy of administrators', { managed_policy_arns: managed('AdministratorAccess') }, true, true],
    ['a policy of AWS, the rest untold', { managed_policy_arns: managed('ReadOnlyAccess') }, null, null],
    ['policies that are all told', { managed_policy_arns: managed('ReadOnlyAccess'), inline_policy: inline(reading) }, false, null],
    ["a policy of the customer's own", { managed_policy_arns: ['arn:aws:iam::1:policy/x'], inline_policy: inline(reading) }, null, null],
    ['everything in an inline policy', { inline_policy: inline(reading, everything) }, true, true],
    ['everything, under a condition', { inline_policy: inline({ ...everything, Condition: { Bool: { 'aws:x': 'true' } } }) }, null, true],
    ['rights to give rights', { inline_policy: inline({ ...reading, Action: 'iam:Put*' }) }, null, true],
    ['denied everything', { inline_policy: inline({ ...everything, Effect: 'Deny' }) }, null, null],
    ['a document that is open', { inline_policy: [{ name: 'p', policy: '${var.policy}' }] }, null, null],
  ])('with %s is an administrator, or far-reaching, only if that is told', (_, configuration, admin, privileged) => {
    expect(role(configuration)).toMatchObject({ admin, privileged });
  });

  it('is read from a trust policy that is a text, or a value already', () => {
    const text = trusting({ Service: 'ec2.amazonaws.com' }).assume_role_policy;
    expect(role({ assume_role_policy: text }).trusts).toBe('Service:ec2.amazonaws.com');
    expect(role({ assume_role_policy: JSON.parse(text) }).trusts).toBe('Service:ec2.amazonaws.com');
  });

  it.each<[string, unknown, string | null, boolean | null]>([
    ['its own account', { AWS: 'arn:aws:iam::111122223333:root' }, '111122223333', false],
    ['another account', { AWS: 'arn:aws:iam::444455556666:root' }, '111122223333', true],
    ['an account, itself in one that is not known', { AWS: 'arn:aws:iam::444455556666:root' }, null, null],
    ['a service', { Service: 'ec2.amazonaws.com' }, null, false],
    ['anybody', '*', null, true],
    ['a directory', { Federated: 'arn:aws:iam::111122223333:saml-provider/directory' }, null, true],
    ['a reference', { AWS: '${aws_iam_role.other.arn}' }, '111122223333', null],
    [
      'its own cluster',
      { Federated: 'arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/A' },
      '111122223333',
      false,
    ],
  ])('that trusts %s is external, or not, or nobody can tell', (_, principal, account, external) => {
    expect(role(trusting(principal), account).external).toBe(external);
  });

  it.each<[string, Record<string, unknown>, boolean | null, boolean | null]>([
    ['Owner of a subscription', { role_definition_name: 'Owner', scope: '/subscriptions/1' }, true, true],
    ['Owner of a resource group', { role_definition_name: 'Owner', scope: '/subscriptions/1/resourceGroups/a' }, false, true],
    ['Contributor', { role_definition_name: 'Contributor', scope: '/subscriptions/1' }, false, true],
    ['Reader', { role_definition_name: 'Reader', scope: '/subscriptions/1' }, false, false],
    ['a role of their own', { role_definition_name: 'Operators', scope: '/subscriptions/1' }, null, null],
    ['Owner of what is not known', { role_definition_name: 'Owner', scope: '${var.scope}' }, null, true],
  ])('that is assigned %s on Azure is judged by role and scope', (_, configuration, admin, privileged) => {
    expect(identity('azurerm_role_assignment', configuration)).toMatchObject({ admin, privileged });
  });

  it('of Kubernetes is judged by its rules, or by the role that it is bound to', () => {
    const rule = (resources: string[], verbs: string[], api_groups = ['']) => ({ rule: [{ api_groups, resources, verbs }] });
    const all = rule(['*'], ['*'], ['*']);
    expect(identity('kubernetes_cluster_role', all)).toMatchObject({ admin: true, privileged: true });
    expect(identity('kubernetes_role', all)).toMatchObject({ admin: false, privileged: true });
    expect(identity('kubernetes_cluster_role', rule(['secrets'], ['list']))).toMatchObject({ admin: false, privileged: true });
    expect(identity('kubernetes_cluster_role', rule(['pods'], ['list']))).toMatchObject({ admin: false, privileged: false });
    expect(identity('kubernetes_cluster_role', { aggregation_rule: [{}] })).toMatchObject({ admin: null, privileged: null });
    const bound = (name: string, subject: object) => ({ role_ref: [{ kind: 'ClusterRole', name }], subject: [subject] });
    expect(identity('kubernetes_cluster_role_binding', bound('cluster-admin', { kind: 'User', name: 'ann' }))).toMatchObject({
      ...{ admin: true, privileged: true, external: null, human: null, members: 'User:ann' },
    });
    expect(identity('kubernetes_cluster_role_binding', bound('x', { kind: 'Group', name: 'system:unauthenticated' }))).toMatchObject({
      ...{ admin: null, privileged: null, external: true },
    });
  });
});

describe('a value that cannot be told', () => {
  const facet = new Facet(facets.find(({ name }) => name === 'key')!);
  const key = (configuration: Record<string, unknown>, more: { unknown_paths?: string[]; sensitive_paths?: string[] } = {}) =>
    facet.evaluate({
      ...{
        resource_uid: 'k',
        resource_type: 'google_kms_crypto_key',
        resource_name: 'k',
        provider: 'gcp',
        account_id: null,
        region: 'global',
      },
      ...{ configuration, unknown_paths: [], sensitive_paths: [], ...more },
    });

  it('is null and not the default: references, open blocks, what is redacted or marked sensitive', () => {
    expect(key({})).toMatchObject({ protection: 'SOFTWARE', algorithm: 'aes' });
    expect(key({ purpose: '${var.purpose}' }).usage).toBeNull();
    expect(key({ purpose: '[REDACTED]' }).usage).toBeNull();
    expect(key({}, { unknown_paths: ['version_template'] })).toMatchObject({ protection: null, algorithm: null, bits: null, weak: null });
    expect(key({ version_template: [{}] }, { unknown_paths: ['version_template[0].protection_level'] }).protection).toBeNull();
    expect(key({ purpose: 'ENCRYPT_DECRYPT' }, { sensitive_paths: ['purpose'] }).usage).toBeNull();
    expect(key({ purpose: 'AKIAIOSFODNN7EXAMPLE' }).usage).toBeNull();
  });

  it('is not called weak or strong', () => {
    expect(key({ version_template: { algorithm: 'RSA_SIGN_RAW' } }).weak).toBeNull();
    expect(key({ version_template: { algorithm: 'RSA_SIGN_PKCS1_1024_SHA256' } }).weak).toBe(true);
  });
});
