import { generateKeyPairSync } from 'node:crypto';
import { createAwsCollector } from '../../collectors/aws/collector.js';
import { createAzureCollector } from '../../collectors/azure/collector.js';
import { createGcpCollector } from '../../collectors/gcp/collector.js';
import { ConnectionRefused, type Target } from '../../collectors/types.js';
import { systemClock } from '../../kit/base/clock.js';
import type { Outbound } from '../../kit/outbound/outbound.js';

type Fetch = Outbound['fetch'];
interface Asked {
  url: string;
  target: string;
  body: string;
}
/** A provider that answers each call by what it is. */
function provider(answer: (asked: Asked) => [status: number, body: unknown]) {
  const asked: Asked[] = [];
  const fetch: Fetch = async (url, init = {}) => {
    const headers = init.headers as Record<string, string>;
    asked.push({ url, target: headers['x-amz-target'] ?? '', body: String(init.body ?? '') });
    const [status, body] = answer(asked.at(-1)!);
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }) as unknown as Awaited<ReturnType<Fetch>>;
  };
  return { asked, outbound: { fetch } };
}
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const told = [];
  for await (const item of items) told.push(item);
  return told;
}
const signal = new AbortController().signal;
const PKCS8 = { type: 'pkcs8', format: 'pem' } as const;
const SPKI = { type: 'spki', format: 'pem' } as const;

describe('an organization of AWS', () => {
  const target: Target = {
    ...{ provider: 'aws', account_id: '123456789012', regions: ['eu-west-1'], services: [] },
    connection: { method: 'secret', values: { access_key_id: 'AKIATHEIRS', secret_access_key: 'theirs' }, external_id: null },
  };
  const identity = '<GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult>';
  const accountsOf = (outbound: Pick<Outbound, 'fetch'>) =>
    all(createAwsCollector({ outbound, clock: systemClock, identity: null }).accounts!(target, signal));

  it('is listed page by page, where its partition keeps it', async () => {
    const { asked, outbound } = provider(({ target: what, body }) => {
      if (!what) return [200, identity];
      return body.includes('"NextToken":"second"')
        ? [200, { Accounts: [{ Id: '333333333333', Name: 'closed', Status: 'SUSPENDED' }] }]
        : [200, { Accounts: [{ Id: '222222222222', Name: 'shop', Status: 'ACTIVE' }], NextToken: 'second' }];
    });
    expect(await accountsOf(outbound)).toEqual([
      { account_id: '222222222222', name: 'shop', isActive: true },
      { account_id: '333333333333', name: 'closed', isActive: false },
    ]);
    expect(asked.filter(({ target: what }) => what).map(({ url }) => new URL(url).host)).toEqual([
      'organizations.us-east-1.amazonaws.com',
      'organizations.us-east-1.amazonaws.com',
    ]);
  });

  it('names the permission that is missing', async () => {
    const { outbound } = provider(({ target: what }) => (what ? [400, { __type: 'AccessDeniedException' }] : [200, identity]));
    await expect(accountsOf(outbound)).rejects.toEqual(new ConnectionRefused('The permission organizations:ListAccounts is missing.'));
  });
});

describe('an organization of Google Cloud', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048, privateKeyEncoding: PKCS8, publicKeyEncoding: SPKI });
  const values = { service_account_email: 'reader@home.iam.gserviceaccount.com', private_key: privateKey, private_key_id: 'k1' };
  const target: Target = {
    ...{ provider: 'gcp', account_id: 'home', regions: [], services: [] },
    connection: { method: 'secret', values, external_id: null },
  };
  const accountsOf = (outbound: Pick<Outbound, 'fetch'>) =>
    all(createGcpCollector({ outbound, clock: systemClock, pauses: [] }).accounts!(target, signal));
  const token = { access_token: 'a token', expires_in: 3_600, token_type: 'Bearer' };
  const project = (projectId: string, parent: string, state = 'ACTIVE') => ({
    name: `projects/${projectId}`,
    projectId,
    displayName: '',
    parent,
    state,
  });
  const folders = [
    { name: 'folders/1', displayName: 'shop', parent: 'organizations/9', state: 'ACTIVE' },
    { name: 'folders/2', displayName: 'live', parent: 'folders/1', state: 'ACTIVE' },
  ];

  it('is its projects, page by page, each with its folders', async () => {
    const { asked, outbound } = provider(({ url }) => {
      if (url.includes('oauth2.googleapis.com')) return [200, token];
      if (url.includes('/v3/folders:search')) return [200, { folders }];
      return url.includes('pageToken=a%2Fb')
        ? [200, { projects: [project('old', 'organizations/9', 'DELETE_REQUESTED')] }]
        : [200, { projects: [project('web', 'folders/2'), project('lab', 'folders/77')], nextPageToken: 'a/b' }];
    });
    expect(await accountsOf(outbound)).toEqual([
      { account_id: 'web', name: 'web', isActive: true, path: ['shop', 'live'] },
      // a folder that nobody may see
      { account_id: 'lab', name: 'lab', isActive: true },
      { account_id: 'old', name: 'old', isActive: false },
    ]);
    expect(new Set(asked.map(({ url }) => new URL(url).host))).toEqual(
      new Set(['oauth2.googleapis.com', 'cloudresourcemanager.googleapis.com']),
    );
  });

  it('is listed where folders may not be seen, and names what is missing or not enabled', async () => {
    const answered = (status: number, body: object) =>
      provider(({ url }) => (url.includes('oauth2') ? [200, token] : [status, body])).outbound;
    const bare = provider(({ url }) =>
      url.includes('oauth2') ? [200, token] : url.includes('folders') ? [403, {}] : [200, { projects: [project('web', 'folders/2')] }],
    );
    expect(await accountsOf(bare.outbound)).toEqual([{ account_id: 'web', name: 'web', isActive: true }]);
    await expect(accountsOf(answered(403, {}))).rejects.toEqual(
      new ConnectionRefused('The permission resourcemanager.projects.get is missing.'),
    );
    await expect(accountsOf(answered(403, { error: { details: [{ reason: 'SERVICE_DISABLED' }] } }))).rejects.toThrow(
      'The Resource Manager API (cloudresourcemanager.googleapis.com) is not enabled',
    );
  });
});

describe('a directory of Azure', () => {
  const target: Target = {
    ...{ provider: 'azure', account_id: '00000000-0000-4000-8000-000000000001', regions: [], services: [] },
    connection: { method: 'secret', values: { directory_id: 'dir', client_id: 'app', client_secret: 'its secret' }, external_id: null },
  };
  const accountsOf = (outbound: Pick<Outbound, 'fetch'>) =>
    all(createAzureCollector({ outbound, clock: systemClock, pauses: [] }).accounts!(target, signal));
  const token = { access_token: 'a token', expires_in: 3_600, token_type: 'Bearer' };
  const NEXT = 'https://management.azure.com/subscriptions?api-version=2022-12-01&$skiptoken=2';

  it('is listed page by page', async () => {
    const { outbound } = provider(({ url }) => {
      if (url.includes('login.microsoftonline.com')) return [200, token];
      return url === NEXT
        ? [200, { value: [{ subscriptionId: '00000000-0000-4000-8000-000000000003', displayName: 'Old', state: 'Disabled' }] }]
        : [
            200,
            { value: [{ subscriptionId: '00000000-0000-4000-8000-000000000002', displayName: 'Shop', state: 'Enabled' }], nextLink: NEXT },
          ];
    });
    expect(await accountsOf(outbound)).toEqual([
      { account_id: '00000000-0000-4000-8000-000000000002', name: 'Shop', isActive: true },
      { account_id: '00000000-0000-4000-8000-000000000003', name: 'Old', isActive: false },
    ]);
  });

  it('says why it is not listed', async () => {
    const { outbound } = provider(({ url }) => (url.includes('login') ? [200, token] : [403, { error: { code: 'AuthorizationFailed' } }]));
    await expect(accountsOf(outbound)).rejects.toThrow('Azure does not list subscriptions: it answered 403 (AuthorizationFailed).');
  });
});
