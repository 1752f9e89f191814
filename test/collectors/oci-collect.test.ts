import { generateKeyPairSync } from 'node:crypto';
import { OCI_CALLS } from '../../collectors/oci/calls.js';
import { OCI_SERVICES } from '../../collectors/oci/services.js';
import { linesBelow } from '../../collectors/listing/line.js';
import { ConnectionRefused, type Connection, type Target } from '../../collectors/types.js';
import { cloudTable } from '../../importers/cloud/table.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { OCI_ESTATE } from './oci-estate.js';
import { another, FAR, FINGERPRINT, HOME, inPem, ociStand, refused, TENANCY, theirs, USER, type OciWorld } from './oci-stand.js';
import { isOpen, readRecorded } from './recorded.js';

const outbound = createOutbound(['127.0.0.0/8']);
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
});
afterAll(() => outbound.close());
const stand = async (given: Partial<OciWorld> = {}) => {
  const made = await ociStand({ answers: OCI_ESTATE, ...given }, outbound);
  open.push(made);
  return made;
};
const byKey = (private_key = inPem(theirs)): Connection => ({
  method: 'secret',
  values: { tenancy_ocid: TENANCY, user_ocid: USER, fingerprint: FINGERPRINT, private_key },
  external_id: null,
});
const target = (more: Partial<Target> = {}): Target => ({
  ...{ provider: 'oci', account_id: TENANCY, regions: [], services: [], connection: byKey() },
  ...more,
});

describe('what is collected of a tenancy', () => {
  it('is read as its assets, of all compartments and regions, with the attributes that rules read', async () => {
    const oci = await stand({ page: 1 });
    const { told, missing, whole } = await oci.collect(target());
    expect(missing).toEqual([]);
    expect(whole).toEqual(expect.arrayContaining([`network/list-vcns ${HOME}`, `network/list-vcns ${FAR}`, `identity/list-users ${HOME}`]));
    const { format, assets, broken } = await readRecorded(told, TENANCY);
    expect([format, broken]).toEqual(['cloud_api_responses', []]);
    const of = (type: string) => assets.filter(({ resource_type }) => resource_type === type);
    const one = (type: string) => of(type)[0]?.configuration;
    expect(
      of('oci_core_vcn')
        .map(({ configuration, region, account_id }) => [configuration['name'], region, account_id])
        .sort(),
    ).toEqual([
      ['far', FAR, TENANCY],
      ['hub', HOME, TENANCY],
      ['lab', HOME, TENANCY],
    ]);
    expect(one('oci_core_security_list')).toMatchObject({
      ingress_security_rules: [{ protocol: '6', source: '0.0.0.0/0', stateless: false, tcp_options: [{ min: 22, max: 22 }] }],
    });
    expect(one('oci_core_network_security_group_security_rule')).toMatchObject({
      network_security_group_id: `ocid1.networksecuritygroup.oc1.${HOME}.web`,
      tcp_options: [{ destination_port_range: [{ min: 22, max: 22 }] }],
    });
    // a second network card is not the machine's own place
    expect(one('oci_core_instance')).toMatchObject({
      ...{ instance_options: [{ are_legacy_imds_endpoints_disabled: false }], is_pv_encryption_in_transit_enabled: false },
      create_vnic_details: [{ subnet_id: `ocid1.subnet.oc1.${HOME}.front`, nsg_ids: ['nsg'], assign_public_ip: true }],
    });
    expect(of('oci_objectstorage_bucket').map(({ configuration }) => [configuration['name'], configuration['access_type']])).toEqual([
      ['invoices', 'ObjectRead'],
      ['logs', 'NoPublicAccess'],
    ]);
    expect(one('oci_identity_policy')).toMatchObject({ statements: ['Allow group admins to manage all-resources in tenancy'] });
    expect(one('oci_identity_api_key')).toMatchObject({ user_id: 'ocid1.user.oc1..admin', fingerprint: 'aa:bb' });
    expect(one('oci_database_autonomous_database')).toMatchObject({ whitelisted_ips: ['0.0.0.0/0'], is_mtls_connection_required: false });
    expect(one('oci_file_storage_export')).toMatchObject({ export_options: [{ source: '0.0.0.0/0', is_anonymous_access_allowed: true }] });
    expect(one('oci_apigateway_deployment')).toMatchObject({
      specification: [{ request_policies: [{ authentication: [{ is_anonymous_access_allowed: true }] }] }],
    });
    expect(one('oci_load_balancer_listener')).toMatchObject({ protocol: 'HTTP', port: 80 });
    expect(one('oci_bastion_bastion')).toMatchObject({ client_cidr_block_allow_list: ['0.0.0.0/0'] });
    // what stands open can be judged, although other attributes are not told
    for (const type of ['oci_core_security_list', 'oci_core_network_security_group_security_rule']) expect(isOpen(of(type)[0]!)).toBe(true);
    const types = new Set(assets.map(({ resource_type }) => resource_type));
    expect(cloudTable('oci').things.flatMap(({ type }) => (types.has(type) ? [] : [type]))).toEqual([]);
  });

  it('is asked by every call that the table names, and by no other, without the secrets that lists hold; what is granted reads alone', async () => {
    const oci = await stand();
    const { answers } = await oci.collect(target());
    const text = JSON.stringify(answers);
    for (const secret of ['hunter2', 'aHVudGVyMg==', FINGERPRINT, 'BEGIN PRIVATE']) expect(text).not.toContain(secret);
    const told = new Set(answers.map(({ source }) => source.split('__')[0]));
    expect([...told].sort()).toEqual(
      [...new Set(OCI_SERVICES.flatMap(({ service, lines }) => linesBelow(lines).map(({ call }) => `oci/${service}/${call}`)))].sort(),
    );
    expect(Object.keys(OCI_ESTATE).filter((key) => !oci.asked.includes(key))).toEqual([]);
    expect(oci.asked.filter((key) => key.includes(HOME) && !(key in OCI_ESTATE))).toEqual([]);
    expect(OCI_CALLS.flatMap(({ permissions }) => permissions).filter((statement) => !/^(inspect|read) [a-z-]+$/.test(statement))).toEqual(
      [],
    );
  });

  it('is what the target is narrowed to: its regions, and its services', async () => {
    const oci = await stand();
    const { told } = await oci.collect(target({ regions: [FAR], services: ['network'] }));
    const { assets } = await readRecorded(told, TENANCY);
    expect(assets.map(({ resource_type, region }) => [resource_type, region])).toEqual([['oci_core_vcn', FAR]]);
  });

  it('leaves out what is denied, which Oracle tells as not found, and says which permission is missing', async () => {
    const oci = await stand({ instead: ({ path }) => (/\/(b\/|users$)/.test(path) ? refused(404, 'NotAuthorizedOrNotFound') : undefined) });
    const { told, missing, whole } = await oci.collect(target());
    expect(missing).toEqual(
      expect.arrayContaining([
        { source: 'oci/identity/list-users', region: HOME, not_answered: 'The permission inspect users is missing.' },
        { source: 'oci/object-storage/get-bucket', region: HOME, not_answered: 'The permission read buckets is missing.' },
      ]),
    );
    expect(missing).toHaveLength(2);
    expect(whole).not.toContain(`object-storage/list-buckets ${HOME}`);
    expect(whole).toContain(`object-storage/list-buckets ${FAR}`);
    const { assets } = await readRecorded(told, TENANCY);
    const bucket = assets.find(({ resource_type }) => resource_type === 'oci_objectstorage_bucket');
    // what nobody told is open, not absent
    expect([bucket?.unknown_paths?.includes('*'), bucket && 'access_type' in bucket.configuration]).toEqual([true, false]);
    expect(JSON.stringify(told)).not.toContain(USER);
  });
});

describe('a tenancy that', () => {
  it('asks for patience is asked again after it, with another signature', async () => {
    let turned = 0;
    const oci = await stand({
      instead: ({ path }) =>
        path.endsWith('/vcns') && turned++ === 0 ? refused(429, 'TooManyRequests', { 'retry-after': '1' }) : undefined,
    });
    const began = Date.now();
    expect((await oci.collect(target({ services: ['network'], regions: [HOME] }))).missing).toEqual([]);
    expect([turned, Date.now() - began >= 1_000]).toEqual([3, true]);
  });

  it('names a page for ever is left there, and one that fails is told as that', async () => {
    const oci = await stand({
      instead: ({ path }) =>
        path.endsWith('/vcns')
          ? { status: 200, headers: { 'opc-next-page': 'same' }, body: '[]' }
          : path.endsWith('/subnets')
            ? refused(500, 'InternalServerError')
            : undefined,
    });
    const { missing } = await oci.collect(target({ services: ['network'], regions: [HOME] }));
    expect(missing.map(({ not_answered }) => not_answered).sort()).toEqual([
      'The call answered 500 (InternalServerError).',
      'The interface named a page again that was read before.',
    ]);
  });

  it('does not answer is left when the work is aborted', async () => {
    const oci = await stand({ instead: ({ path }) => (path.endsWith('/volumes') ? null : undefined) });
    const abort = new AbortController();
    const collected = oci.collect(target({ services: ['compute'] }), abort.signal);
    await oci.until(8);
    setTimeout(() => abort.abort(new Error('it was cancelled')), 50);
    const began = Date.now();
    await expect(collected).rejects.toThrow('it was cancelled');
    expect(Date.now() - began).toBeLessThan(20_000);
  });
});

describe('a connection', () => {
  it('with another key than the user has is refused in every region, without showing it', async () => {
    const oci = await stand();
    const collected = oci.collect(target({ connection: byKey(inPem(another)) }));
    await expect(collected).rejects.toThrow(ConnectionRefused);
    await expect(collected).rejects.toThrow(/does not take the API key of the user in any region: it answered 401 \(NotAuthenticated\)/);
    expect(oci.asked).toEqual([]);
  });

  it('with a key of another kind, of another tenancy, or of another realm is refused before anything is asked', async () => {
    const oci = await stand();
    const { privateKey } = generateKeyPairSync('ed25519');
    await expect(oci.collect(target({ connection: byKey(inPem({ privateKey })) }))).rejects.toThrow(/no RSA key/);
    await expect(oci.collect(target({ account_id: `${TENANCY}x` }))).rejects.toThrow(/of another tenancy/);
    const realm = TENANCY.replace('.oc1.', '.oc2.');
    const connection = { ...byKey(), values: { ...byKey().values, tenancy_ocid: realm } };
    await expect(oci.collect(target({ account_id: realm, connection }))).rejects.toThrow(/commercial realm/);
    expect(oci.received).toEqual([]);
  });

  it('that may read nothing, or no compartments, is refused', async () => {
    const isPlace = (path: string): boolean => /regionSubscriptions$|\/n\/$/.test(path);
    const nothing = await stand({
      instead: ({ path, query }) =>
        isPlace(path) || query.has('compartmentIdInSubtree') ? undefined : refused(404, 'NotAuthorizedOrNotFound'),
    });
    await expect(nothing.collect(target())).rejects.toThrow(/may read nothing in the tenancy/);
    const blind = await stand({ instead: ({ path }) => (isPlace(path) ? undefined : refused(404, 'NotAuthorizedOrNotFound')) });
    await expect(blind.collect(target())).rejects.toThrow(/does not tell its compartments: it answered 404 \(NotAuthorizedOrNotFound\)/);
  });

  it('is tried by the first call of each service', async () => {
    const oci = await stand({ instead: ({ host }) => (host.startsWith('kms.') ? refused(404, 'NotAuthorizedOrNotFound') : undefined) });
    const tried = [];
    for await (const one of oci.collector.tryOut(target(), new AbortController().signal)) tried.push(one);
    expect(tried).toHaveLength(OCI_SERVICES.length);
    expect(tried.filter(({ granted }) => !granted)).toEqual([{ service: 'vault', permission: 'inspect vaults', granted: false }]);
  });
});
