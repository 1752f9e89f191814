import { Facet } from '../../catalog/facet.js';
import type { FacetLine } from '../../catalog/facet-files.js';
import { readDays, readKeySpec, readPrincipals, readSshKey } from '../../catalog/facet-readings.js';
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
    const wrong = source.lines.flatMap((line) =>
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

  it('read the size of an RSA key of SSH from its modulus', () => {
    const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, bytes.length >> 8, bytes.length & 255]), bytes]);
    const modulus = Buffer.concat([Buffer.from([0]), Buffer.alloc(128, 255)]);
    const key = Buffer.concat([part(Buffer.from('ssh-rsa')), part(Buffer.from([1, 0, 1])), part(modulus)]).toString('base64');
    expect(readSshKey(`ssh-rsa ${key} somebody`)).toEqual({ algorithm: 'rsa', bits: 1024 });
    expect(readSshKey('no key at all')).toEqual({});
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
