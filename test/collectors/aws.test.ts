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

/** Made once by botocore, the signer of AWS's SDK for Python. */
const SIGNATURE =
  'AWS4-HMAC-SHA256 Credential=AKIAOURS000000000000/20260301/eu-west-1/sts/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=a7c0fe864cfc069a0bbd90daf6d3d8af959010b4630a5baa43465e0d6d013f28';

describe('a signature', () => {
  const call: AwsCall = {
    ...{ service: 'sts', region: 'eu-west-1', method: 'POST', url: new URL('https://sts.eu-west-1.amazonaws.com/') },
    ...{ headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'Action=GetCallerIdentity&Version=2011-06-15' },
  };

  it('is that of AWS for the call, its body, its time and the key with its token', async () => {
    const signed = await sign(call, { ...OURS, session_token: 'a token' }, NOW);
    expect(signed).toMatchObject({ 'x-amz-date': '20260301T120000Z', 'x-amz-security-token': 'a token' });
    expect(signed['authorization']).toBe(SIGNATURE);
  });

  it('is another for another body', async () => {
    const other = await sign({ ...call, body: `${call.body}&X=1` }, { ...OURS, session_token: 'a token' }, NOW);
    expect(other['authorization']).not.toBe(SIGNATURE);
  });
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
