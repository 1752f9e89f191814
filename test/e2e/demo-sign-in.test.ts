import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyDemo } from '../support/demo.js';
import { startProcess, untilReady, type TestProcess } from '../support/process.js';
import { signIn, verify } from '../support/sign-in.js';
import { totpCode } from '../support/totp.js';
import { Client } from '../support/world.js';

const REPORTS = (JSON.parse(readFileSync('demo/manifest.json', 'utf8')) as unknown[]).length;

const root = mkdtempSync(join(tmpdir(), 'palisade-demo-'));
let server: TestProcess;
let password: string;
let totpSecret: string;
beforeAll(async () => {
  const data = join(root, 'whole');
  ({ password, totpSecret } = await copyDemo(data));
  server = await startProcess(['--data', data], { LOG_LEVEL: 'error' });
  await untilReady(server);
});
afterAll(async () => {
  await server.end('SIGTERM');
  rmSync(root, { recursive: true, force: true });
});

test.each([
  ['org-admin@acme.example', 'org_admin'],
  ['support@palisade.example', 'platform_admin'],
])('%s signs in with a code of the secret that the demo was given', async (email, role) => {
  const anonymous = new Client(server.url, null, null);
  const asked = await signIn(anonymous, email, password);
  expect(asked.body).toMatchObject({ status: 'mfa_required', methods: ['totp'] });
  expect(asked.headers.get('set-cookie')).toBeNull();
  const done = await verify(anonymous, asked.body.challenge_id, totpCode(totpSecret));
  expect(done.body).toMatchObject({ status: 'ok', role });
  const signedIn = new Client(server.url, done.headers.get('set-cookie')!.split(';')[0]!, null);
  expect((await signedIn.call('/api/v1/users/me')).body).toMatchObject({ email, role, mfa: 'totp' });
});

test('the sign-in page names the accounts of the demo and no password, and fills the address in', async () => {
  const anonymous = new Client(server.url, null, null);
  const { text } = await anonymous.call('/auth/login?return_to=%2F%23%2Ffindings');
  for (const email of ['viewer@acme.example', 'analyst@acme.example', 'org-admin@acme.example'])
    expect(text).toContain(`href="/auth/login?email=${encodeURIComponent(email)}&#38;return_to=%2F%23%2Ffindings"`);
  expect(text).not.toContain(password);
  const filled = await anonymous.call(`/auth/login?email=${encodeURIComponent('analyst@acme.example')}`);
  expect(filled.text).toMatch(/name="email"[^>]* value="analyst@acme.example"/);
});

interface Health {
  status: string;
  reason?: string;
  demo?: { status: string; reports: number; loaded: number };
}

test('the demo comes in behind the greeting: health tells how far it is, and ready waits for it', async () => {
  // a start of its own, whose reports are not in yet
  const other = await startProcess(['--memory'], { DEMO_PASSWORD: password, LOG_LEVEL: 'error' });
  const anonymous = new Client(other.url, null, null);
  const health = async () => (await anonymous.call<Health>('/gateway/health')).body;
  expect(await health()).toMatchObject({ demo: { status: 'loading', reports: REPORTS } });
  const early = await anonymous.call<Health>('/gateway/health/ready');
  expect([early.status, early.body]).toMatchObject([
    503,
    { status: 'unavailable', reason: expect.stringMatching(new RegExp(`^The demo is being loaded: \\d+ of ${REPORTS}`)) },
  ]);
  const signedIn = await signIn(anonymous, 'analyst@acme.example', password);
  expect(signedIn.status).toBe(200);
  await untilReady(other);
  expect(await health()).toMatchObject({ demo: { status: 'loaded', reports: REPORTS, loaded: REPORTS } });
  expect((await anonymous.call<Health>('/gateway/health/ready')).body.reason).toBeUndefined();
  expect(await other.end('SIGTERM')).toBe(0);
  expect(other.output()).toContain('The demo is complete.');
});

test('a start that is ended while the demo comes in is made good by the next one', async () => {
  const folder = join(root, 'ended');
  const env = { DEMO_PASSWORD: password, LOG_LEVEL: 'error' };
  const first = await startProcess(['--data', folder], env);
  expect(await first.end('SIGTERM')).toBe(0);
  expect(first.output()).not.toContain('The demo is complete.');
  const second = await startProcess(['--data', folder], env);
  await untilReady(second);
  const total = async ({ url }: TestProcess) => {
    const cookie = (await signIn(new Client(url, null, null), 'analyst@acme.example', password)).headers.get('set-cookie')!.split(';')[0]!;
    return (await new Client(url, cookie, null).call<{ total: number }>('/api/v1/check/findings')).body.total;
  };
  expect(await total(second)).toBe(await total(server));
  await second.end('SIGTERM');
});

test('the README and the tour show what the demo answers', async () => {
  const readme = ['README.md', 'docs/tour.md'].map((name) => readFileSync(join(__dirname, '../..', name), 'utf8')).join('\n');
  const shown = [...readme.matchAll(/```json\n([^]*?)```/g)].map(([, json]) => JSON.parse(json!) as unknown);
  const query = /\/graphql -d '(\{"query":[^]*?\})'\n/.exec(readme)![1]!.replace(/\n\s*/g, '');
  const signedIn = await signIn(new Client(server.url, null, null), 'analyst@acme.example', password);
  const analyst = new Client(server.url, signedIn.headers.get('set-cookie')!.split(';')[0]!, null);
  const list = await analyst.call<{ items: object[] }>('/api/v1/check/findings?severity=critical,high&page_size=1');
  const time = expect.any(String) as string;
  const seen = { first_seen_at: time, last_seen_at: time, due_at: time };
  const [finding, ...others] = (shown[0] as typeof list.body).items;
  expect(others).toEqual([]);
  expect(list.body).toEqual({ ...(shown[0] as object), items: [{ ...finding, ...seen }] });
  expect((await analyst.call('/graphql', { body: JSON.parse(query) as object })).body).toEqual(shown[1]);
});

interface Path {
  path_id: string;
  entry: string;
  target: string;
  pattern: string[];
  likelihood: number;
  severity: string;
}

test('the demo has the six attack paths that its page argues, under the profile that it begins with', async () => {
  const signedIn = await signIn(new Client(server.url, null, null), 'analyst@acme.example', password);
  const analyst = new Client(server.url, signedIn.headers.get('set-cookie')!.split(';')[0]!, null);
  const { items } = (await analyst.call<{ items: Path[] }>('/api/v1/attack-paths')).body;
  const last = (uid: string) => uid.split(/[/:]/).at(-1)!;
  expect(
    items.map(({ entry, target, pattern, likelihood, severity }) =>
      [last(entry), target.endsWith('administrator') ? target : last(target), pattern.join('>'), likelihood.toFixed(4), severity].join(' '),
    ),
  ).toEqual([
    'internet acmeinvoices public_data 0.9500 critical',
    'internet gcp/acme-analytics/administrator initial_access>identity_of_code>escalation 0.7695 critical',
    'internet acme-prod-customer-exports public_data 0.9500 critical',
    'internet acme-analytics-lake public_data 0.9500 critical',
    'm.keller aws/111122223333/administrator weak_sign_in>escalation>data_access 0.0810 high',
    'internet acmeinvoices initial_access>identity_of_code>data_access 0.0359 medium',
  ]);
  // two rest on rules that the profile does not report
  const resting = await Promise.all(
    items.map(async ({ path_id }) => {
      const { body } = await analyst.call<{ steps: { conditions: { finding_id: string | null; rule_id: string | null }[] }[] }>(
        `/api/v1/attack-paths/${path_id}`,
      );
      return body.steps.flatMap(({ conditions }) =>
        conditions.flatMap(({ finding_id, rule_id }) => (finding_id === null && rule_id !== null ? [rule_id] : [])),
      );
    }),
  );
  expect(resting.flat()).toEqual(['gcp.cloud.run_v2_service.internal_ingress', 'azure.container.app.external_ingress']);
});

// last: it adds to what the demo answers
test('the demo has an account to scan, which is judged as it was recorded', async () => {
  const signedIn = await signIn(new Client(server.url, null, null), 'analyst@acme.example', password);
  const analyst = new Client(server.url, signedIn.headers.get('set-cookie')!.split(';')[0]!, null);
  const started = await analyst.call('/api/v1/scans', { body: { account_id: '777788889999', scan_run_id: 'first-scan' } });
  expect([started.status, started.body]).toMatchObject([202, { scan_run_id: 'first-scan', provider: 'aws' }]);
  expect(await analyst.finished('first-scan')).toMatchObject({ state: 'COMPLETED', errors: [], counts: { records: 15 } });
  const { body } = await analyst.call<{ items: { resource_name: string }[] }>(
    '/api/v1/check/findings?account_id=777788889999&severity=high&sort=-risk_score',
  );
  // the internet reaches it
  expect(body.items[0]).toMatchObject({ resource_uid: expect.stringContaining('instance/i-0f1e2d3c4b5a69788') as string, risk_score: 65 });
});
