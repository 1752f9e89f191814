import { keysOf } from '../../collectors/aws/clients.js';
import { createAwsCollector } from '../../collectors/aws/collector.js';
import type { Target } from '../../collectors/types.js';
import { fixedClock, systemClock } from '../../kit/base/clock.js';
import type { Outbound } from '../../kit/outbound/outbound.js';
import { awsStub, refusal, xmlRefusal, type Reply, type StubCall } from '../support/aws-stub.js';
import { ACCOUNT, bySecret, collect, inParts, keyed, notAnswered, OURS, outbound, TAKEN, target, THEIRS } from './aws-stubbed.js';

afterAll(() => outbound.close());

describe('regions', () => {
  const regions = ({ what }: StubCall): Reply =>
    what.startsWith('Action=DescribeRegions')
      ? [
          200,
          '<R><regionInfo><item><regionName>eu-west-1</regionName></item><item><regionName>eu-south-1</regionName></item></regionInfo></R>',
        ]
      : undefined;

  it('are all that are enabled where the target names none', async () => {
    const { records, stub } = await collect((call) => regions(call) ?? keyed(call), { regions: [] });
    expect(records[0]).toMatchObject({ source: 'aws ec2 describe-regions' });
    expect([...new Set(stub.asked('ListKeys').map(({ region }) => region))]).toEqual(['eu-west-1', 'eu-south-1']);
  });

  it('are the one that was asked where they are not told', async () => {
    const { records, stub } = await collect(keyed, { regions: [] });
    expect(notAnswered(records)).toMatchObject([{ not_answered: expect.stringContaining('ec2:DescribeRegions') as string }]);
    expect(stub.asked('ListKeys').map(({ region }) => region)).toEqual(['us-east-1']);
  });

  it('in which the key is not taken are skipped, which is told once, and the others are asked', async () => {
    const closed = (call: StubCall): Reply => (call.region === 'eu-south-1' ? refusal('UnrecognizedClientException') : keyed(call));
    const { records, stub } = await collect(closed, { regions: ['eu-west-1', 'eu-south-1', 'us-east-1'], services: ['kms', 'sqs'] });
    expect(notAnswered(records).filter(({ region }) => region === 'eu-south-1')).toEqual([]);
    expect(records.filter((record) => 'skipped' in record)).toEqual([
      {
        ...{ source: 'aws kms list-keys', region: 'eu-south-1' },
        skipped: 'The region eu-south-1 is not one that is enabled in the account.',
      },
    ]);
    expect(stub.asked('ListKeys').map(({ region }) => region)).toEqual(['eu-west-1', 'eu-south-1', 'us-east-1']);
  });
});

describe('a service whose address has no name', () => {
  it.each([
    ['is not in the region where AWS is reached there', true, { error: 'ServiceNotInRegion' }],
    ['is not answered where nothing is reached', false, { not_answered: 'AWS could not be reached (ENOTFOUND)' }],
  ])('%s', async (_case, isReached, told) => {
    let asked = 0;
    const fetch: Outbound['fetch'] = async (url) => {
      if (!url.startsWith('https://sts.') || (asked++ > 0 && !isReached))
        throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ENOTFOUND' } });
      return new Response(`<R><Account>${ACCOUNT}</Account></R>`) as never;
    };
    const collector = createAwsCollector({ outbound: { fetch }, clock: systemClock, identity: null });
    const { records } = await inParts(collector.collect!(target(), new AbortController().signal));
    expect(records).toEqual([{ source: 'aws kms list-keys', region: 'eu-west-1', ...told }]);
  });
});

describe('a key', () => {
  it('that ends while it is used ends the run', async () => {
    let isTaken = true;
    const ending = (call: StubCall): Reply => {
      if (call.what === 'DescribeKey') isTaken = false;
      if (isTaken) return keyed(call);
      return call.service === 'sts' ? xmlRefusal('InvalidClientTokenId') : refusal('UnrecognizedClientException');
    };
    await expect(collect(ending)).rejects.toMatchObject({
      name: 'ConnectionRefused',
      message: expect.stringContaining('InvalidClientTokenId') as string,
    });
  });

  it('of another secret is refused, and no secret is told', async () => {
    const connection = { ...bySecret, values: { ...bySecret.values, secret_access_key: 'not the secret' } };
    const refused = await collect(keyed, { connection }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'ConnectionRefused' });
    expect(String((refused as Error).stack)).not.toContain('not the secret');
  });

  const taken = (call: StubCall): Reply => {
    if (!call.what.startsWith('Action=AssumeRole')) return keyed(call);
    if (!call.what.endsWith('&ExternalId=of-the-tenant')) return xmlRefusal('AccessDenied');
    const { access_key_id, secret_access_key, session_token } = TAKEN;
    return [
      200,
      `<C><AccessKeyId>${access_key_id}</AccessKeyId><SecretAccessKey>${secret_access_key}</SecretAccessKey><SessionToken>${session_token}</SessionToken></C>`,
    ];
  };
  const byRole: Target['connection'] = {
    method: 'role',
    values: { role_arn: `arn:aws:iam::${ACCOUNT}:role/palisade-read` },
    external_id: 'of-the-tenant',
  };

  it('of a role signs every call but those that take the role on', async () => {
    const { records, stub } = await collect(taken, { connection: byRole });
    expect(notAnswered(records)).toEqual([]);
    const roles = stub.asked('Action=AssumeRole');
    expect(new Set(roles.map(({ key }) => key))).toEqual(new Set([OURS.access_key_id]));
    expect(new Set(stub.calls.filter((call) => !roles.includes(call)).map(({ key }) => key))).toEqual(new Set([TAKEN.access_key_id]));
    for (const key of [OURS, TAKEN]) expect(JSON.stringify(records)).not.toContain(key.secret_access_key);
  });

  it('of a role is taken anew before it ends, once for all that wait', async () => {
    const stub = await awsStub(ACCOUNT, [OURS], taken);
    const clock = fixedClock(new Date().toISOString());
    const options = { outbound, clock, identity: OURS, endpoint: stub.url };
    const { signal } = new AbortController();
    const keys = keysOf(options, target({ connection: byRole }), 'eu-west-1', { ...TAKEN, access_key_id: 'ASIAFIRST' }, signal);
    expect((await keys()).key.access_key_id).toBe('ASIAFIRST');
    clock.advance(10 * 60_000);
    const both = await Promise.all([keys(), keys()]);
    expect(both.map(({ key }) => key.access_key_id)).toEqual([TAKEN.access_key_id, TAKEN.access_key_id]);
    // with the external id, without one, and with another
    expect(stub.asked('Action=AssumeRole')).toHaveLength(3);
    await stub.close();
  });
});

describe('the process', () => {
  const SET = {
    AWS_ACCESS_KEY_ID: 'AKIAENVIRONMENT',
    AWS_SECRET_ACCESS_KEY: 'of the environment',
    AWS_ENDPOINT_URL: 'https://elsewhere.example.com',
    AWS_ENDPOINT_URL_KMS: 'https://elsewhere.example.com',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_REGION: 'ap-south-1',
    AWS_PROFILE: 'another',
  };
  const before = { ...process.env };
  beforeAll(() => void Object.assign(process.env, SET));
  afterAll(() => {
    for (const name of Object.keys(SET)) delete process.env[name];
    Object.assign(process.env, before);
  });

  it('has no say in where calls go or by which key: each goes through the guard to the address of its service', async () => {
    const sent: { host: string; authorization: string }[] = [];
    const fetch: Outbound['fetch'] = async (url, init = {}) => {
      const headers = init.headers as Record<string, string>;
      sent.push({ host: new URL(url).host, authorization: headers['authorization'] ?? '' });
      const body = `<GetCallerIdentityResult><Account>${ACCOUNT}</Account></GetCallerIdentityResult>`;
      const isFirst = sent.length === 1;
      return new Response(isFirst ? body : '{"__type":"AccessDeniedException"}', { status: isFirst ? 200 : 403 }) as never;
    };
    const collector = createAwsCollector({ outbound: { fetch }, clock: systemClock, identity: null });
    const { records } = await inParts(collector.collect!(target({ services: [] }), new AbortController().signal));
    expect(records.every((record) => 'not_answered' in record)).toBe(true);
    const hosts = new Set(sent.map(({ host }) => host));
    expect([...hosts].filter((host) => !host.endsWith('.amazonaws.com'))).toEqual([]);
    expect([...hosts]).toEqual(
      expect.arrayContaining([
        'sts.eu-west-1.amazonaws.com',
        's3.eu-west-1.amazonaws.com',
        `${ACCOUNT}.s3-control.eu-west-1.amazonaws.com`,
        'iam.amazonaws.com',
        'ec2.eu-west-1.amazonaws.com',
        'kms.eu-west-1.amazonaws.com',
        'cloudfront.amazonaws.com',
      ]),
    );
    expect(sent.every(({ authorization }) => authorization.includes(`Credential=${THEIRS.access_key_id}/`))).toBe(true);
  });
});
