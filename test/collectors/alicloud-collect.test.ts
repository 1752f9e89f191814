import { ALICLOUD_CALLS } from '../../collectors/alicloud/calls.js';
import { ALICLOUD_SERVICES } from '../../collectors/alicloud/services.js';
import { readXml } from '../../collectors/alicloud/xml.js';
import { linesBelow } from '../../collectors/listing/line.js';
import { ConnectionRefused, type Connection, type Target } from '../../collectors/types.js';
import { cloudTable } from '../../importers/cloud/table.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { ALICLOUD_BUCKETS, ALICLOUD_ESTATE } from './alicloud-estate.js';
import { ACCOUNT, alicloudStand, FAR, HOME, KEY, ossRefused, refused, type AcsWorld } from './alicloud-stand.js';
import { isOpen, readRecorded } from './recorded.js';

/** The document of the inline policy, and of others. */
const DOCUMENT_TEXT = expect.stringContaining('"Action":"*"') as string;
const outbound = createOutbound(['127.0.0.0/8']);
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
});
afterAll(() => outbound.close());
const stand = async (given: Partial<AcsWorld> = {}) => {
  const made = await alicloudStand({ answers: ALICLOUD_ESTATE, documents: ALICLOUD_BUCKETS, ...given }, outbound);
  open.push(made);
  return made;
};
const byKey = (access_key_id = KEY.id, access_key_secret = KEY.secret): Connection => ({
  method: 'secret',
  values: { access_key_id, access_key_secret },
  external_id: null,
});
const target = (more: Partial<Target> = {}): Target => ({
  ...{ provider: 'alicloud', account_id: ACCOUNT, regions: [], services: [], connection: byKey() },
  ...more,
});

describe('what is collected of an account of Alibaba Cloud', () => {
  it('is read as its assets, of all regions and pages, with the attributes that rules read', async () => {
    const alicloud = await stand({ page: 1 });
    const { told, missing, whole } = await alicloud.collect(target());
    expect(missing).toEqual([]);
    expect(whole).toEqual(expect.arrayContaining([`vpc/describe-vpcs ${HOME}`, `vpc/describe-vpcs ${FAR}`, 'oss/list-buckets']));
    const { format, assets, broken } = await readRecorded(told, ACCOUNT);
    expect([format, broken]).toEqual(['cloud_api_responses', []]);
    const of = (type: string) => assets.filter(({ resource_type }) => resource_type === type);
    const one = (type: string) => of(type)[0]?.configuration;
    expect(
      of('alicloud_vpc')
        .map(({ configuration, region, account_id }) => [configuration['name'], region, account_id])
        .sort(),
    ).toEqual([
      ['far', FAR, ACCOUNT],
      ['shop', HOME, ACCOUNT],
    ]);
    expect(one('alicloud_instance')).toMatchObject({ http_tokens: 'optional', security_groups: ['sg-open'], vswitch_id: 'vsw-1' });
    expect(of('alicloud_ecs_disk').map(({ configuration }) => configuration['encrypted'])).toEqual([false, true, false]);
    expect(one('alicloud_security_group_rule')).toMatchObject({
      ...{ security_group_id: 'sg-open', type: 'ingress', ip_protocol: 'tcp', port_range: '22/22', cidr_ip: '0.0.0.0/0', policy: 'accept' },
    });
    expect(one('alicloud_network_acl')).toMatchObject({ ingress_acl_entries: [{ port: '3389/3389', source_cidr_ip: '0.0.0.0/0' }] });
    expect(one('alicloud_ecs_launch_template')).toMatchObject({ http_tokens: 'required', system_disk: [{ encrypted: 'false' }] });
    expect(of('alicloud_db_instance').map(({ configuration }) => [configuration['id'], configuration['security_ips']])).toEqual([
      ['rm-1', ['127.0.0.1', '0.0.0.0/0']],
      ['rm-2', undefined],
    ]);
    expect(one('alicloud_db_instance')).toMatchObject({ ssl_action: 'Close', tde_status: 'Disabled' });
    expect(one('alicloud_kvstore_instance')).toMatchObject({ vpc_auth_mode: 'Close', ssl_enable: 'Disable', security_ips: ['0.0.0.0/0'] });
    expect(one('alicloud_ram_role')).toMatchObject({ assume_role_policy_document: expect.stringContaining('"RAM":["*"]') as string });
    expect(one('alicloud_ram_policy')).toMatchObject({ policy_document: expect.stringContaining('"Action":"*"') as string });
    expect(one('alicloud_ram_user_policy_attachment')).toMatchObject({ user_name: 'ann', policy_name: 'AdministratorAccess' });
    expect(one('alicloud_ram_login_profile')).toMatchObject({ user_name: 'ann', mfa_bind_required: false });
    expect(of('alicloud_oss_bucket').map(({ configuration, region }) => [configuration['bucket'], region, configuration['acl']])).toEqual([
      ['invoices', HOME, 'public-read'],
      ['far', FAR, 'private'],
    ]);
    expect(one('alicloud_oss_bucket_public_access_block')).toMatchObject({ bucket: 'invoices', block_public_access: false });
    expect(one('alicloud_oss_bucket_policy')).toMatchObject({ policy: expect.stringContaining('"Principal":["*"]') as string });
    // what is not encrypted has no such block
    expect(of('alicloud_oss_bucket').map(({ configuration }) => configuration['server_side_encryption_rule'])).toEqual([
      null,
      [{ sse_algorithm: 'AES256', kms_master_key_id: null }],
    ]);
    expect(of('alicloud_oss_bucket_policy')).toHaveLength(1);
    // a bucket that has no policy is told to have none
    expect(of('alicloud_oss_bucket').map(({ configuration }) => typeof configuration['policy'])).toEqual(['string', 'object']);
    // lists of addresses that stand in one text
    expect(one('alicloud_adb_db_cluster')).toMatchObject({ security_ips: ['10.0.0.1', '0.0.0.0/0'] });
    expect(one('alicloud_adb_db_cluster_lake_version')).toMatchObject({ security_ips: '10.0.0.1,0.0.0.0/0' });
    expect(one('alicloud_kms_network_rule')).toMatchObject({ source_private_ip: ['10.0.0.0/8', '0.0.0.0/0'] });
    expect(one('alicloud_cloud_sso_access_configuration')).toMatchObject({
      permission_policies: [{ permission_policy_name: 'AdministratorAccess' }, { permission_policy_document: DOCUMENT_TEXT }],
    });
    // of addresses those alone that the internet has
    expect(
      ['alicloud_db_connection', 'alicloud_kvstore_connection', 'alicloud_mongodb_public_network_address'].map((type) => of(type).length),
    ).toEqual([1, 1, 1]);
    expect(of('alicloud_ecd_policy_group').map(({ configuration }) => configuration['id'])).toEqual(['pg-1']);
    expect(of('alicloud_cloud_firewall_control_policy').map(({ configuration }) => configuration['direction'])).toEqual(['in', 'out']);
    expect(of('alicloud_resource_manager_policy_attachment').map(({ configuration }) => configuration['policy_name'])).toEqual([
      'AdministratorAccess',
    ]);
    // what stands open can be judged, although other attributes are not told
    for (const type of ['alicloud_security_group_rule', 'alicloud_network_acl']) expect(isOpen(of(type)[0]!)).toBe(true);
    const types = new Set(assets.map(({ resource_type }) => resource_type));
    expect(cloudTable('alicloud').things.flatMap(({ type }) => (types.has(type) ? [] : [type]))).toEqual([]);
  });

  it('is asked by every call that the table names, and by no other, without the secrets that lists hold; what is granted reads alone', async () => {
    const alicloud = await stand();
    const { answers } = await alicloud.collect(target());
    const text = JSON.stringify(answers);
    for (const secret of ['aHVudGVyMg==', KEY.id, KEY.secret]) expect(text).not.toContain(secret);
    const told = new Set(answers.map(({ source }) => source.split('__')[0]));
    expect([...told].sort()).toEqual(
      [
        ...new Set(ALICLOUD_SERVICES.flatMap(({ service, lines }) => linesBelow(lines).map(({ call }) => `alicloud/${service}/${call}`))),
      ].sort(),
    );
    expect([...Object.keys(ALICLOUD_ESTATE), ...Object.keys(ALICLOUD_BUCKETS)].filter((key) => !alicloud.asked.includes(key))).toEqual([]);
    const granted = ALICLOUD_CALLS.flatMap(({ permissions }) => permissions);
    expect(granted.filter((action) => !/^[a-z-]+:(?:Describe|List|Get)\w+$/.test(action))).toEqual([]);
    // the operations that were called, beside those of the object storage, which have no names
    const called = new Set(alicloud.received.flatMap(({ headers }) => headers['x-acs-action'] ?? []));
    expect(new Set(granted.filter((action) => !action.startsWith('oss:')).map((action) => action.split(':')[1]))).toEqual(called);
  });

  it('is what the target is narrowed to: its regions with what is global, and its services', async () => {
    const alicloud = await stand();
    const { told } = await alicloud.collect(target({ regions: [FAR], services: ['vpc', 'oss'] }));
    const { assets } = await readRecorded(told, ACCOUNT);
    expect(assets.map(({ resource_type, configuration }) => [resource_type, configuration['id']]).sort()).toEqual([
      ['alicloud_oss_bucket', 'far'],
      ['alicloud_oss_bucket_acl', 'far'],
      ['alicloud_oss_bucket_public_access_block', 'far'],
      ['alicloud_oss_bucket_server_side_encryption', 'far'],
      ['alicloud_vpc', 'vpc-far'],
    ]);
  });

  it('leaves out what is denied and says which permission is missing', async () => {
    const alicloud = await stand({
      instead: ({ action, url }) =>
        action === 'DescribeDBInstanceSSL' || action === 'ListUsers'
          ? refused(403, 'Forbidden.RAM')
          : url.search === '?bucketInfo'
            ? ossRefused(403, 'AccessDenied')
            : undefined,
    });
    const { told, missing, whole } = await alicloud.collect(target({ regions: [HOME], services: ['rds', 'ram', 'oss'] }));
    expect(missing.map(({ source, not_answered }) => [source, not_answered]).sort()).toEqual([
      ['alicloud/oss/get-bucket-info', 'The permission oss:GetBucketInfo is missing.'],
      ['alicloud/ram/list-users', 'The permission ram:ListUsers is missing.'],
      ['alicloud/rds/describe-db-instance-ssl', 'The permission rds:DescribeDBInstanceSSL is missing.'],
    ]);
    expect(whole).toEqual(expect.arrayContaining(['ram/list-roles']));
    expect(whole).not.toContain('oss/list-buckets');
    const { assets } = await readRecorded(told, ACCOUNT);
    const bucket = assets.find(({ resource_type }) => resource_type === 'alicloud_oss_bucket');
    // what nobody told is open, not absent
    expect([bucket?.unknown_paths?.includes('*'), bucket && 'acl' in bucket.configuration]).toEqual([true, false]);
    expect(JSON.stringify(told)).not.toContain(KEY.id);
  });
});

describe('Alibaba Cloud that', () => {
  it('throttles, by a code or a status, is asked again', async () => {
    let turned = 0;
    const alicloud = await stand({
      instead: ({ action }) =>
        action === 'DescribeVpcs' && turned < 2
          ? refused(turned++ === 0 ? 400 : 503, turned === 1 ? 'Throttling.User' : 'ServiceUnavailable')
          : undefined,
    });
    const { missing } = await alicloud.collect(target({ services: ['vpc'], regions: [HOME] }));
    expect([missing, turned]).toEqual([[], 2]);
  });

  it('names a page for ever is left there, and one that fails is told as that', async () => {
    const alicloud = await stand({
      instead: ({ action }) =>
        action === 'ListListeners'
          ? { status: 200, body: '{"Listeners":[],"NextToken":"same"}' }
          : action === 'ListAcls'
            ? refused(500, 'InternalError')
            : undefined,
    });
    const { missing } = await alicloud.collect(target({ services: ['alb'], regions: [HOME] }));
    expect(missing.map(({ not_answered }) => not_answered).sort()).toEqual([
      'The call answered 500 (InternalError).',
      'The interface named a page again that was read before.',
    ]);
  });

  it('does not answer is left when the work is aborted', async () => {
    const alicloud = await stand({ instead: ({ action }) => (action === 'DescribeVpcs' ? null : undefined) });
    const abort = new AbortController();
    const collected = alicloud.collect(target({ services: ['vpc'] }), abort.signal);
    await alicloud.until(3);
    setTimeout(() => abort.abort(new Error('it was cancelled')), 50);
    const began = Date.now();
    await expect(collected).rejects.toThrow('it was cancelled');
    expect(Date.now() - began).toBeLessThan(20_000);
  });
});

describe('a connection', () => {
  it.each([
    ['another secret than the key has', byKey(KEY.id, 'another'), 'SignatureDoesNotMatch'],
    ['a key that there is none of', byKey('LTAInone'), 'InvalidAccessKeyId.NotFound'],
  ])('with %s is refused, without showing it', async (_what, connection, code) => {
    const alicloud = await stand();
    const collected = alicloud.collect(target({ connection }));
    await expect(collected).rejects.toThrow(ConnectionRefused);
    await expect(collected).rejects.toThrow(`Alibaba Cloud does not take the AccessKey: it answered 400 (${code}).`);
  });

  it('by a role is refused before anything is asked, for this deployment has no identity that it could trust', async () => {
    const alicloud = await stand();
    const connection: Connection = { method: 'role', values: { role_arn: `acs:ram::${ACCOUNT}:role/palisade-read` }, external_id: 'x' };
    await expect(alicloud.collect(target({ connection }))).rejects.toThrow(/no identity of its own/);
    expect(alicloud.received).toEqual([]);
  });

  it('that may read nothing is refused', async () => {
    const alicloud = await stand({ instead: ({ action }) => (action === 'DescribeRegions' ? undefined : refused(403, 'NoPermission')) });
    await expect(alicloud.collect(target({ services: ['ecs', 'ram'] }))).rejects.toThrow(/may read nothing in the account/);
  });

  it('is tried by the first call of each service', async () => {
    const alicloud = await stand({ instead: ({ host }) => (host.startsWith('kms.') ? refused(403, 'Forbidden.NoPermission') : undefined) });
    const tried = [];
    for await (const one of alicloud.collector.tryOut(target(), new AbortController().signal)) tried.push(one);
    expect(tried).toHaveLength(ALICLOUD_SERVICES.length);
    expect(tried.filter(({ granted }) => !granted)).toEqual([{ service: 'kms', permission: 'kms:ListKeys', granted: false }]);
  });
});

describe('a document of the object storage', () => {
  it('is its elements, those that come again as a list', () => {
    expect(readXml('<a x="1"><b>1</b><b><c>2 &amp; 3</c></b><d/><__proto__>x</__proto__></a>')).toEqual(
      JSON.parse('{"a":{"b":["1",{"c":"2 & 3"}],"d":"","__proto__":"x"}}'),
    );
  });

  it('that declares entities, nests without end, or ends too early is none', () => {
    expect(() => readXml('<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>')).toThrow();
    expect(() => readXml('<a>'.repeat(100))).toThrow(/too deep/);
    expect(() => readXml('<a><b></a>')).toThrow();
  });
});
