import { Facet } from '../../catalog/facet.js';
import type { FacetLine } from '../../catalog/facet-files.js';
import { readDays, readKeySpec, readSshKey } from '../../catalog/facet-readings.js';
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
