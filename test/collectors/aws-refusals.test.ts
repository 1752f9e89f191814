import { setTimeout as sleep } from 'node:timers/promises';
import { createAwsCollector } from '../../collectors/aws/collector.js';
import { keysOf } from '../../collectors/aws/clients.js';
import { askGroup } from '../../collectors/aws/group.js';
import { KMS } from '../../collectors/aws/services/keys.js';
import type { NotAnswered, RecordedAnswer, Target } from '../../collectors/types.js';
import { fixedClock, systemClock } from '../../kit/base/clock.js';
import { createOutbound, type Outbound } from '../../kit/outbound/outbound.js';
import { readAll } from '../importers/read-all.js';
import { awsStub, json, refusal, xmlRefusal, type Reply, type StubCall, type StubKey } from '../support/aws-stub.js';

const ACCOUNT = '123456789012';
const OURS: StubKey = { access_key_id: 'AKIAOURS000000000000', secret_access_key: 'a secret of ours' };
const THEIRS: StubKey = { access_key_id: 'AKIATHEIRS0000000000', secret_access_key: 'a secret of theirs' };
const TAKEN: StubKey = { access_key_id: 'ASIATAKEN00000000000', secret_access_key: 'a taken secret', session_token: 'a taken token' };
const bySecret: Target['connection'] = { method: 'secret', values: { ...THEIRS } as Record<string, string>, external_id: null };
const target = (more: Partial<Target> = {}): Target => ({
  ...{ provider: 'aws', account_id: ACCOUNT, regions: ['eu-west-1'], services: ['kms'], connection: bySecret },
  ...more,
});

const outbound = createOutbound(['127.0.0.1/32']);
afterAll(() => outbound.close());

type Told = RecordedAnswer | NotAnswered;
/** Collects from a stub. @param onRecord is told of each record; where it answers false nobody listens any more */
async function collect(
  answer: (call: StubCall) => Reply,
  more: Partial<Target> = {},
  { signal = new AbortController().signal, onRecord = (_record: Told): boolean => true } = {},
) {
  const stub = await awsStub(ACCOUNT, [OURS, THEIRS, TAKEN], answer);
  const records: Told[] = [];
  const collector = createAwsCollector({ outbound, clock: systemClock, identity: OURS, endpoint: stub.url, pauses: [20, 20, 20] });
  try {
    for await (const record of collector.collect!(target(more), signal)) {
      records.push(record);
      if (!onRecord(record)) break;
    }
  } finally {
    await stub.close();
  }
  return { records, stub };
}
const notAnswered = (records: readonly Told[]): Told[] => records.filter((record) => 'not_answered' in record);

const ARN = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/k1`;
/** An account with one key. */
const keyed = ({ what }: StubCall): Reply => {
  if (what === 'ListKeys') return json({ Keys: [{ KeyId: 'k1', KeyArn: ARN }], Truncated: false });
  if (what === 'DescribeKey') return json({ KeyMetadata: { KeyId: 'k1', Arn: ARN, KeyManager: 'CUSTOMER', CreationDate: 1.5 } });
  if (what === 'GetKeyPolicy') return json({ Policy: '{"Statement":[]}' });
  if (what === 'GetKeyRotationStatus') return json({ KeyRotationEnabled: true });
  return what === 'ListResourceTags' ? json({ Tags: [{ TagKey: 'team', TagValue: 'money' }] }) : undefined;
};

describe('a denied call', () => {
  it('is told with the permission that is missing, and the rest goes on', async () => {
    const { records } = await collect((call) => (call.what === 'GetKeyPolicy' ? refusal('AccessDeniedException') : keyed(call)));
    expect(notAnswered(records)).toEqual([
      {
        ...{ source: 'aws kms get-key-policy --key-id k1', region: 'eu-west-1' },
        not_answered: 'The permission kms:GetKeyPolicy is missing: AWS answered AccessDeniedException',
      },
    ]);
    expect(records.map(({ source }) => source.split(' ')[2])).toEqual(
      expect.arrayContaining(['describe-key', 'get-key-rotation-status', 'list-resource-tags', 'list-keys']),
    );
    const lines = records.map((record) => JSON.stringify(record)).join('\n');
    const { items, broken } = await readAll('cloud_api_responses', lines, { account_id: ACCOUNT });
    expect(broken).toHaveLength(1);
    const [key] = items.flatMap((item) => (item.kind === 'asset' ? [item.asset] : []));
    expect(key).toMatchObject({ resource_type: 'aws_kms_key', configuration: { enable_key_rotation: true, tags: { team: 'money' } } });
  });

  it('of all calls is a record each, and no error', async () => {
    const { records } = await collect(() => undefined, { services: ['kms', 'sqs', 'secretsmanager'] });
    expect(records.map((record) => 'not_answered' in record && record.not_answered.split(' ')[2])).toEqual([
      'kms:ListKeys',
      'sqs:ListQueues',
      'secretsmanager:ListSecrets',
    ]);
  });
});

describe('a throttled call', () => {
  it.each([
    ['ThrottlingException', 400],
    ['InternalFailure', 500],
    ['TooManyRequests', 429],
  ])('is made again: %s', async (code, status) => {
    let left = 1;
    const { records, stub } = await collect((call) => (call.what === 'ListKeys' && left-- > 0 ? refusal(code, status) : keyed(call)));
    expect([notAnswered(records), stub.asked('ListKeys').length]).toEqual([[], 2]);
  });

  it('is given up after four tries, and told', async () => {
    const { records, stub } = await collect((call) => (call.what === 'ListKeys' ? refusal('ThrottlingException') : undefined));
    expect(stub.asked('ListKeys')).toHaveLength(4);
    expect(records).toMatchObject([{ source: 'aws kms list-keys', not_answered: 'AWS answered ThrottlingException' }]);
  });
});

describe('pages', () => {
  const pages =
    (next: (marker: string | undefined) => string | undefined) =>
    (call: StubCall): Reply => {
      if (call.what !== 'ListKeys') return undefined;
      const { Marker } = JSON.parse(call.body) as { Marker?: string };
      return json({ Keys: [], NextMarker: next(Marker) });
    };

  it('follow each other, a record each', async () => {
    const { records } = await collect(pages((marker) => (marker === undefined ? 'second' : marker === 'second' ? 'third' : undefined)));
    expect(records).toEqual(
      ['second', 'third', undefined].map((NextMarker) => ({
        ...{ source: 'aws kms list-keys', region: 'eu-west-1' },
        response: { Keys: [], ...(NextMarker && { NextMarker }) },
      })),
    );
  });

  it('that repeat their token come to an end that is told', async () => {
    const { records, stub } = await collect(pages(() => 'again'));
    expect(stub.asked('ListKeys')).toHaveLength(2);
    expect(notAnswered(records)).toMatchObject([{ not_answered: expect.stringContaining('does not come to an end') as string }]);
  });

  it('with a new token for ever come to an end that is told', async () => {
    let asked = 0;
    const client = { send: async () => ({ NextMarker: String(asked++) }), destroy: () => undefined };
    const asking = {
      group: KMS,
      client,
      commands: { ListKeysCommand: Object },
      region: 'eu-west-1',
      place: {},
      isReached: async () => true,
      stop: () => undefined,
    };
    const records: Told[] = [];
    for await (const record of askGroup({ ...asking, signal: new AbortController().signal })) records.push(record);
    expect(asked).toBe(2_000);
    expect(notAnswered(records)).toMatchObject([{ not_answered: expect.stringContaining('does not come to an end') as string }]);
  });
});

describe('a run', () => {
  const hanging = (call: StubCall): Reply => (call.what === 'GetKeyPolicy' ? 'silence' : keyed(call));

  it('that is aborted ends with the reason while a call is on its way', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const began = Date.now();
    void sleep(700).then(() => controller.abort(reason));
    await expect(collect(hanging, {}, { signal: controller.signal })).rejects.toBe(reason);
    expect(Date.now() - began).toBeLessThan(3_000);
  });

  it('that nobody listens to any more ends, too', async () => {
    const began = Date.now();
    // the call that hangs was made before this one
    const { stub } = await collect(hanging, {}, { onRecord: ({ source }) => !source.includes('list-resource-tags') });
    expect([stub.asked('GetKeyPolicy').length, Date.now() - began < 3_000]).toEqual([1, true]);
  });
});

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

  it('in which the key is not taken are told once, and the others are asked', async () => {
    const closed = (call: StubCall): Reply => (call.region === 'eu-south-1' ? refusal('UnrecognizedClientException') : keyed(call));
    const { records, stub } = await collect(closed, { regions: ['eu-west-1', 'eu-south-1', 'us-east-1'], services: ['kms', 'sqs'] });
    expect(notAnswered(records).filter(({ region }) => region === 'eu-south-1')).toEqual([
      {
        ...{ source: 'aws kms list-keys', region: 'eu-south-1' },
        not_answered: 'The key is not taken in this region: AWS answered UnrecognizedClientException',
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
    const records: Told[] = [];
    for await (const record of collector.collect!(target(), new AbortController().signal)) records.push(record);
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
    const records: Told[] = [];
    for await (const record of collector.collect!(target({ services: [] }), new AbortController().signal)) records.push(record);
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
