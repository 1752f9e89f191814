import { startProcess, type TestProcess } from '../support/process.js';
import { signIn, verify } from '../support/sign-in.js';
import { TOTP_SECRET, totpCode } from '../support/totp.js';
import { Client } from '../support/world.js';

const PASSWORD = 'a password of the demo';

let server: TestProcess;
beforeAll(async () => {
  server = await startProcess(['--memory'], { DEMO_PASSWORD: PASSWORD, DEMO_TOTP_SECRET: TOTP_SECRET, LOG_LEVEL: 'error' });
}, 60_000);
afterAll(() => server.end('SIGTERM'));

test('the org_admin of the demo signs in with a code of the secret that the demo was given', async () => {
  const anonymous = new Client(server.url, null, null);
  const asked = await signIn(anonymous, 'org-admin@acme.example', PASSWORD);
  expect(asked.body).toMatchObject({ status: 'mfa_required', methods: ['totp'] });
  expect(asked.headers.get('set-cookie')).toBeNull();
  const done = await verify(anonymous, asked.body.challenge_id, totpCode(TOTP_SECRET));
  expect(done.body).toMatchObject({ status: 'ok', role: 'org_admin' });
  const signedIn = new Client(server.url, done.headers.get('set-cookie')!.split(';')[0]!, null);
  expect((await signedIn.call('/api/v1/users/me')).body).toMatchObject({ email: 'org-admin@acme.example', role: 'org_admin', mfa: 'totp' });
});
