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

test.each([
  ['org-admin@acme.example', 'org_admin'],
  ['support@palisade.example', 'platform_admin'],
])('%s signs in with a code of the secret that the demo was given', async (email, role) => {
  const anonymous = new Client(server.url, null, null);
  const asked = await signIn(anonymous, email, PASSWORD);
  expect(asked.body).toMatchObject({ status: 'mfa_required', methods: ['totp'] });
  expect(asked.headers.get('set-cookie')).toBeNull();
  const done = await verify(anonymous, asked.body.challenge_id, totpCode(TOTP_SECRET));
  expect(done.body).toMatchObject({ status: 'ok', role });
  const signedIn = new Client(server.url, done.headers.get('set-cookie')!.split(';')[0]!, null);
  expect((await signedIn.call('/api/v1/users/me')).body).toMatchObject({ email, role, mfa: 'totp' });
});
