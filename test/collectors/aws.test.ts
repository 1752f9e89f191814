import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { CALLS } from '../../collectors/calls.js';
import { createAwsCollector } from '../../collectors/aws/collector.js';
import { sign, type AwsCall, type AwsKey } from '../../collectors/aws/sign.js';
import { TRIALS } from '../../collectors/aws/trials.js';
import type { Connection, Target } from '../../collectors/types.js';
import { fixedClock } from '../../kit/base/clock.js';
import type { Outbound } from '../../kit/outbound/outbound.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const OURS: AwsKey = { access_key_id: 'AKIAOURS000000000000', secret_access_key: 'ours' };
const ROLE = 'arn:aws:iam::123456789012:role/palisade-read';
const EXTERNAL_ID = 'palisade-of-the-tenant';

type Reply = readonly [status: number, body: string];
const error = (status: number, code: string): Reply => [status, `<Error><Code>${code}</Code></Error>`];

/** AWS as far as it is asked: what it answers to each call, by its host and what it is. */
function aws(answer: (call: { host: string; what: string; headers: Record<string, string> }) => Reply | undefined) {
  const calls: { host: string; what: string; key: string | undefined }[] = [];
  const fetch: Outbound['fetch'] = async (url, init = {}) => {
    const { host, pathname } = new URL(url);
    const headers = init.headers as Record<string, string>;
    const what = headers['x-amz-target'] ?? (init.body ? String(init.body) : pathname);
    calls.push({ host, what, key: /Credential=([^/]+)/.exec(headers['authorization']!)?.[1] });
    const [status, body] = answer({ host, what, headers }) ?? [200, '<ok/>'];
    return new Response(body, { status }) as unknown as Awaited<ReturnType<Outbound['fetch']>>;
  };
  return { calls, outbound: { fetch } };
}
const identity: Reply = [200, '<GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult>'];
const taken: Reply = [
  200,
  '<Credentials><AccessKeyId>ASIATAKEN</AccessKeyId><SecretAccessKey>taken</SecretAccessKey><SessionToken>token</SessionToken></Credentials>',
];
/** Lets in who names the external id, and nobody else. */
const bound = ({ what }: { what: string }): Reply | undefined => {
  if (what.startsWith('Action=GetCallerIdentity')) return identity;
  if (!what.startsWith('Action=AssumeRole')) return undefined;
  return what.endsWith(`&ExternalId=${EXTERNAL_ID}`) ? taken : error(403, 'AccessDenied');
};

const byRole: Connection = { method: 'role', values: { role_arn: ROLE }, external_id: EXTERNAL_ID };
const bySecret: Connection = { method: 'secret', values: { access_key_id: 'AKIATHEIRS', secret_access_key: 'theirs' }, external_id: null };
const target = (connection: Connection, more: Partial<Target> = {}): Target => ({
  ...{ provider: 'aws', account_id: '123456789012', regions: [], services: [], connection },
  ...more,
});
async function tryOut(of: Target, { outbound }: ReturnType<typeof aws>, ours: AwsKey | null = OURS) {
  const collector = createAwsCollector({ outbound, clock: fixedClock(NOW.toISOString()), identity: ours });
  const tried = [];
  for await (const one of collector.tryOut(of, new AbortController().signal)) tried.push(one);
  return tried;
}

test.each(TRIALS.map((trial) => [trial.service, trial] as const))('a call of %s is signed as the SDK signs it', async (service, trial) => {
  const url = new URL(trial.path, `https://${service}.eu-west-1.amazonaws.com`);
  const { method, headers = {}, body = '' } = trial;
  const call: AwsCall = { service, region: 'eu-west-1', method, url, headers, body };
  const key = { ...OURS, session_token: 'a token' };
  class Sha256 {
    private readonly hash;
    constructor(secret?: string | Uint8Array) {
      this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
    }
    update(data: string | Uint8Array) {
      this.hash.update(data);
    }
    async digest() {
      return new Uint8Array(this.hash.digest());
    }
  }
  const signer = new SignatureV4({
    service,
    region: 'eu-west-1',
    sha256: Sha256 as never,
    uriEscapePath: service !== 's3',
    credentials: { accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key, sessionToken: key.session_token },
  });
  const signed = (await signer.sign(
    {
      method,
      protocol: 'https:',
      hostname: url.host,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...headers, host: url.host, 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') },
      body,
    } as never,
    { signingDate: NOW },
  )) as unknown as { headers: Record<string, string> };
  expect(sign(call, key, NOW)['authorization']).toBe(signed.headers['authorization']);
});

test('each trial is of a service of the table of calls, and takes a permission that the template grants', () => {
  expect(TRIALS.map(({ service }) => service)).toEqual(CALLS.aws.map(({ service }) => service));
  for (const { service, permission } of TRIALS)
    expect(CALLS.aws.find((calls) => calls.service === service)!.permissions).toContain(permission);
});

describe('a role', () => {
  it('is taken on by the key of the deployment, and every service asked by the key of the role', async () => {
    const stand = aws(bound);
    const tried = await tryOut(target(byRole, { regions: ['eu-central-1'] }), stand);
    expect(tried).toEqual(TRIALS.map(({ service, permission }) => ({ service, permission, granted: true })));
    const roles = stand.calls.filter(({ what }) => what.startsWith('Action=AssumeRole'));
    expect(roles.map(({ key }) => key)).toEqual(Array(3).fill(OURS.access_key_id));
    const others = stand.calls.filter((call) => !roles.includes(call));
    expect(new Set(others.map(({ key }) => key))).toEqual(new Set(['ASIATAKEN']));
    expect(stand.calls.map(({ host }) => host)).toEqual(expect.arrayContaining(['ec2.eu-central-1.amazonaws.com', 'iam.amazonaws.com']));
  });

  it.each<[string, (what: string) => boolean, RegExp]>([
    ['no external id', (what) => !what.includes('ExternalId'), /names no external id/],
    ['another external id', (what) => what.includes('ExternalId'), /names another external id/],
  ])('that lets in who names %s is refused', async (_case, letsIn, message) => {
    const stand = aws((call) => (call.what.startsWith('Action=AssumeRole') && letsIn(call.what) ? taken : bound(call)));
    await expect(tryOut(target(byRole), stand)).rejects.toThrow(message);
    expect(stand.calls.every(({ what }) => what.startsWith('Action=AssumeRole'))).toBe(true);
  });

  it('that lets nobody in, and one for which the deployment has no key, are refused with the reason', async () => {
    await expect(
      tryOut(
        target(byRole),
        aws(() => error(403, 'AccessDenied')),
      ),
    ).rejects.toThrow(/does not let this deployment in.*AccessDenied/);
    const stand = aws(bound);
    await expect(tryOut(target(byRole), stand, null)).rejects.toThrow(/no identity in AWS/);
    expect(stand.calls).toEqual([]);
  });
});

describe('a key', () => {
  it('is used as it is, and tells what is missing, however a service says so', async () => {
    const denials: Record<string, Reply> = {
      's3.us-east-1.amazonaws.com': error(403, 'AccessDenied'),
      'ec2.us-east-1.amazonaws.com': error(403, 'UnauthorizedOperation'),
      'kms.us-east-1.amazonaws.com': [400, '{"__type":"com.amazonaws.kms#AccessDeniedException"}'],
    };
    const stand = aws((call) => denials[call.host] ?? bound(call));
    const tried = await tryOut(target(bySecret), stand);
    expect(tried.filter(({ granted }) => !granted).map(({ permission }) => permission)).toEqual([
      's3:ListAllMyBuckets',
      'ec2:DescribeRegions',
      'kms:ListKeys',
    ]);
    expect(new Set(stand.calls.map(({ key }) => key))).toEqual(new Set(['AKIATHEIRS']));
  });

  it('of another account, and one that AWS does not take, are refused', async () => {
    await expect(tryOut(target(bySecret, { account_id: '999999999999' }), aws(bound))).rejects.toThrow(/another account/);
    await expect(
      tryOut(
        target(bySecret),
        aws(() => error(403, 'InvalidClientTokenId')),
      ),
    ).rejects.toThrow(/does not take the key/);
  });

  it('is tried with the services that the account is narrowed to', async () => {
    const tried = await tryOut(target(bySecret, { services: ['kms'] }), aws(bound));
    expect(tried.map(({ service }) => service)).toEqual(['kms']);
  });
});

test('a call that is throttled is made again, and what cannot be told is no missing permission', async () => {
  let left = 1;
  const throttling = aws((call) => (call.what === '/' && left-- > 0 ? error(503, 'SlowDown') : bound(call)));
  expect(await tryOut(target(bySecret, { services: ['s3'] }), throttling)).toMatchObject([{ granted: true }]);
  const odd = aws((call) => (call.what === '/' ? error(400, 'SomethingElse') : bound(call)));
  await expect(tryOut(target(bySecret, { services: ['s3'] }), odd)).rejects.toThrow(/s3 answered 400 \(SomethingElse\)/);
});
