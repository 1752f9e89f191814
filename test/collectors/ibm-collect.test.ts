import { IBM_CALLS } from '../../collectors/ibm/calls.js';
import { CLASSIC, IBM_SERVICES } from '../../collectors/ibm/services.js';
import { linesBelow } from '../../collectors/listing/line.js';
import { ConnectionRefused, type Connection, type Target } from '../../collectors/types.js';
import { cloudTable } from '../../importers/cloud/table.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { IBM_ESTATE } from './ibm-estate.js';
import { ACCOUNT, API_KEY, ibmStand, type IbmWorld } from './ibm-stand.js';
import { isOpen, readRecorded } from './recorded.js';
import { json } from './stand.js';

const outbound = createOutbound(['127.0.0.0/8']);
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
});
afterAll(() => outbound.close());
const stand = async (given: Partial<IbmWorld> = {}) => {
  const made = await ibmStand({ answers: IBM_ESTATE, ...given }, outbound);
  open.push(made);
  return made;
};
const byKey = (api_key = API_KEY): Connection => ({ method: 'secret', values: { api_key }, external_id: null });
const target = (more: Partial<Target> = {}): Target => ({
  ...{ provider: 'ibm', account_id: ACCOUNT, regions: [], services: [], connection: byKey() },
  ...more,
});

describe('what is collected of an account of IBM Cloud', () => {
  it('is read as its assets, with the attributes that rules read', async () => {
    const ibm = await stand({ page: 1 });
    const { told, missing, whole } = await ibm.collect(target());
    expect(missing).toEqual([]);
    expect(whole).toEqual(expect.arrayContaining(['is/list-vpcs eu-de', 'is/list-vpcs us-south', 'databases/list-instances']));
    const { format, assets, broken } = await readRecorded(told, ACCOUNT);
    expect([format, broken]).toEqual(['cloud_api_responses', []]);
    const of = (type: string) => assets.filter(({ resource_type }) => resource_type === type);
    const one = (type: string) => of(type)[0]?.configuration;
    expect(of('ibm_is_vpc').map(({ configuration, region, account_id }) => [configuration['name'], region, account_id])).toEqual([
      ['shop', 'eu-de', ACCOUNT],
      ['lab', 'eu-de', ACCOUNT],
    ]);
    expect(one('ibm_is_security_group_rule')).toMatchObject({
      ...{ group: 'r010-ssh', direction: 'inbound', remote: '0.0.0.0/0', protocol: 'tcp', tcp: [{ port_min: 22, port_max: 22 }] },
    });
    expect(one('ibm_is_network_acl')).toMatchObject({ rules: [{ action: 'allow', tcp: [{ port_min: 3_389, port_max: 3_389 }] }] });
    expect(one('ibm_is_instance')).toMatchObject({
      metadata_service: [{ protocol: 'http', response_hop_limit: 2 }],
      volumes: ['r010-data'],
    });
    expect(one('ibm_is_lb_listener')).toMatchObject({ lb: 'r010-edge', protocol: 'http' });
    expect(one('ibm_is_share_mount_target')).toMatchObject({ share: 'r010-files', transit_encryption: 'none' });
    expect(one('ibm_iam_account_settings')).toMatchObject({ mfa: 'NONE', user_mfa: [{ mfa: 'NONE' }] });
    expect(of('ibm_iam_trusted_profile_claim_rule').map(({ configuration }) => configuration['profile_id'])).toEqual(
      expect.arrayContaining(['Profile-a', 'Profile-b']),
    );
    expect(one('ibm_iam_service_policy')).toMatchObject({ roles: ['Administrator'], account_management: false });
    expect(one('ibm_iam_trusted_profile_policy')).toMatchObject({ iam_id: 'iam-Profile-a', account_management: true });
    expect(one('ibm_iam_user_policy')).toMatchObject({ resource_attributes: [{}, { name: 'serviceName', value: 'kms' }] });
    expect(one('ibm_iam_access_group_policy')).toMatchObject({ access_group_id: 'AccessGroupId-1' });
    expect([of('ibm_iam_authorization_policy').length, of('ibm_database').length]).toEqual([1, 2]);
    expect(one('ibm_database')).toMatchObject({
      ...{ service: 'databases-for-postgresql', service_endpoints: 'public', allowlist: [{ address: '0.0.0.0/0' }] },
    });
    expect(one('ibm_cis_domain_settings')).toMatchObject({ ssl: 'flexible', always_use_https: 'off', security_header: [{ max_age: 60 }] });
    expect(one('ibm_cis_tls_settings')).toMatchObject({ universal_ssl: false, tls_1_3: 'off' });
    expect(of('ibm_cos_bucket').map(({ configuration }) => [configuration['bucket_name'], configuration['allowed_ip']])).toEqual([
      ['invoices', ['0.0.0.0/0']],
      ['invoices-2', null],
    ]);
    // the classic infrastructure, page by page
    expect(of('ibm_security_group')).toHaveLength(101);
    expect(of('ibm_security_group_rule').at(-1)?.configuration).toMatchObject({
      ...{
        security_group_id: '101',
        direction: 'ingress',
        protocol: 'tcp',
        port_range_min: 22,
        port_range_max: 22,
        remote_ip: '0.0.0.0/0',
      },
    });
    expect(one('ibm_iam_account_settings_template')).toMatchObject({
      ...{ id: 'AccountSettingsTemplate-1/2', account_settings: [{ mfa: 'NONE', user_mfa: [{ mfa: 'NONE' }] }] },
    });
    expect(one('ibm_cbr_zone')).toMatchObject({ addresses: [{ value: '0.0.0.0/0' }] });
    expect(one('ibm_appid_mfa')).toMatchObject({ tenant_id: 'app1', is_active: false });
    // what stands open can be judged, although other attributes are not told
    for (const type of ['ibm_is_security_group_rule', 'ibm_is_network_acl', 'ibm_is_network_acl_rule', 'ibm_security_group_rule'])
      expect(isOpen(of(type)[0]!)).toBe(true);
    const types = new Set(assets.map(({ resource_type }) => resource_type));
    const untold = cloudTable('ibm').things.flatMap(({ type }) => (types.has(type) ? [] : [type]));
    expect(untold).toEqual([]);
  });

  it('is asked by every call that the table names, and by no other, without the secrets that lists hold; what is granted is what is called', async () => {
    const ibm = await stand();
    const { answers } = await ibm.collect(target());
    const text = JSON.stringify(answers);
    for (const secret of ['hunter2', 'never told by lists', API_KEY, 'token-1']) expect(text).not.toContain(secret);
    const told = new Set(answers.map(({ source }) => source.split('__')[0]));
    expect([...told].sort()).toEqual(
      [...new Set(IBM_SERVICES.flatMap(({ service, lines }) => linesBelow(lines).map(({ call }) => `ibm/${service}/${call}`)))].sort(),
    );
    expect([...new Set(ibm.asked)].filter((key) => !(key in IBM_ESTATE) && key.includes('eu-de.'))).toEqual([]);
    expect(Object.keys(IBM_ESTATE).filter((key) => !ibm.asked.includes(key))).toEqual([]);
    expect(IBM_CALLS.flatMap(({ permissions }) => permissions).filter((role) => !['Viewer', 'Reader'].includes(role))).toEqual([]);
  });

  it('is what the target is narrowed to: its regions with what is global, and its services', async () => {
    const ibm = await stand();
    const { told } = await ibm.collect(target({ regions: ['us-south'] }));
    const { assets } = await readRecorded(told, ACCOUNT);
    expect(assets.filter(({ resource_type }) => /^ibm_(is|appid)_/.test(resource_type))).toEqual([]);
    expect(assets.filter(({ resource_type }) => resource_type === 'ibm_database').map(({ region }) => region)).toEqual(['us-south']);
    expect(assets.some(({ resource_type }) => resource_type === 'ibm_cis_domain')).toBe(true);
    const redis = await ibm.collect(target({ services: ['databases-for-redis'] }));
    expect(new Set(redis.answers.map(({ source }) => source.split('/')[1]))).toEqual(new Set(['databases']));
  });

  it('says of the classic infrastructure that it was skipped where it does not know the key, and of a region that is not enabled', async () => {
    const ibm = await stand({ instead: ({ host }) => (host === CLASSIC ? json(401, { code: 'SoftLayer_Exception_Public' }) : undefined) });
    const { told, missing, whole } = await ibm.collect(target({ services: ['classic', 'is'], regions: ['eu-de', 'mars-1'] }));
    expect([missing, whole?.includes('classic/list-security-groups'), whole?.includes('is/list-vpcs eu-de')]).toEqual([[], false, true]);
    const { items, broken } = await readRecorded(told, ACCOUNT);
    expect(broken).toEqual([]);
    expect(items.filter(({ kind }) => kind === 'skipped')).toEqual([
      {
        kind: 'skipped',
        reason: 'The region mars-1 is not one that is enabled in the account.',
        place: { provider: 'ibm', service: 'is', region: 'mars-1' },
      },
      {
        kind: 'skipped',
        reason: 'The classic infrastructure takes API keys of users alone. The call answered 401 (SoftLayer_Exception_Public).',
        place: { provider: 'ibm', service: 'classic' },
      },
    ]);
    const nowhere = await ibm.collect(target({ services: ['is'], regions: ['mars-1'] }));
    expect(nowhere.told.filter((record) => 'skipped' in record)).toHaveLength(1);
    const tried = [];
    for await (const one of ibm.collector.tryOut(target({ services: ['classic'] }), new AbortController().signal)) tried.push(one);
    expect(tried).toEqual([]);
  });

  it('leaves out what is denied and says which role is missing; of that part nothing is told to be whole', async () => {
    const ibm = await stand({
      instead: ({ path }) =>
        path.endsWith('/listeners') || path === '/v1/policies' ? json(403, { errors: [{ code: 'not_authorized' }] }) : undefined,
    });
    const { told, missing, whole } = await ibm.collect(target());
    expect(missing).toEqual(
      expect.arrayContaining([
        { source: 'ibm/is/list-load-balancers-listeners', region: 'eu-de', not_answered: 'The permission Viewer of is is missing.' },
        { source: 'ibm/iam-access-management/list-policies', not_answered: 'The permission Viewer of iam-access-management is missing.' },
      ]),
    );
    expect(whole).not.toContain('is/list-load-balancers eu-de');
    expect(whole).toContain('is/list-load-balancers us-south');
    const { assets, broken } = await readRecorded(told, ACCOUNT);
    expect([broken.length, assets.some(({ resource_type }) => resource_type === 'ibm_is_lb')]).toEqual([3, true]);
  });
});

describe('IBM Cloud that', () => {
  it('asks for patience is asked again after it', async () => {
    let turned = 0;
    const ibm = await stand({
      instead: ({ path }) =>
        path === '/v1/vpcs' && turned++ === 0 ? json(429, { errors: [{ code: 'too_many_requests' }] }, { 'retry-after': '1' }) : undefined,
    });
    const began = Date.now();
    expect((await ibm.collect(target({ services: ['is'] }))).missing).toEqual([]);
    expect([turned, Date.now() - began >= 1_000]).toEqual([3, true]);
  });

  it('names a page for ever is left there, and one that fails is told as that', async () => {
    const ibm = await stand({
      instead: ({ path }) =>
        path === '/v1/vpcs'
          ? json(200, { vpcs: [], next: { href: 'https://elsewhere.example/v1/vpcs?start=same' } })
          : path === '/v1/volumes'
            ? json(503, { errors: [{ code: 'internal_error' }] })
            : undefined,
    });
    const { missing } = await ibm.collect(target({ services: ['is'], regions: ['eu-de'] }));
    expect(missing.map(({ not_answered }) => not_answered).sort()).toEqual([
      'The call answered 503 (internal_error).',
      'The interface named a page again that was read before.',
    ]);
  });

  it('does not answer is left when the work is aborted', async () => {
    const ibm = await stand({ instead: ({ path }) => (path === '/v1/volumes' ? null : undefined) });
    const abort = new AbortController();
    const collected = ibm.collect(target({ services: ['is'] }), abort.signal);
    await ibm.until(4);
    setTimeout(() => abort.abort(new Error('it was cancelled')), 50);
    const began = Date.now();
    await expect(collected).rejects.toThrow('it was cancelled');
    expect(Date.now() - began).toBeLessThan(20_000);
  });
});

describe('a connection', () => {
  it('with a key that IBM Cloud does not take is refused, without showing it', async () => {
    const ibm = await stand();
    const refused = ibm.collect(target({ connection: byKey('another-key') }));
    await expect(refused).rejects.toThrow(ConnectionRefused);
    await expect(refused).rejects.toThrow('IBM Cloud does not take the API key: it answered BXNIM0415E.');
    expect(ibm.tokens()).toBe(0);
  });

  it('by an identity that this deployment does not have is refused before anything is asked', async () => {
    const ibm = await stand();
    const connection: Connection = { method: 'workload_identity', values: { profile_id: 'Profile-1' }, external_id: null };
    await expect(ibm.collect(target({ connection }))).rejects.toThrow(/no identity of its own/);
    expect(ibm.received).toEqual([]);
  });

  it('that may read nothing is refused', async () => {
    const ibm = await stand({ instead: ({ path }) => (path === '/v1/regions' ? undefined : json(403, {})) });
    await expect(ibm.collect(target())).rejects.toThrow(/may read nothing in the account/);
  });

  it('is tried by the first call of each service', async () => {
    const ibm = await stand({ instead: ({ host }) => (host === 'cbr.cloud.ibm.com' ? json(403, {}) : undefined) });
    const tried = [];
    for await (const one of ibm.collector.tryOut(target(), new AbortController().signal)) tried.push(one);
    expect(tried).toHaveLength(IBM_SERVICES.length);
    expect(tried.filter(({ granted }) => !granted)).toEqual([
      { service: 'context-based-restrictions', permission: 'Viewer of context-based-restrictions', granted: false },
    ]);
  });
});
