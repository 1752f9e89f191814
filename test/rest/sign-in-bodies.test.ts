import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from '../../rest/openapi.js';
import { SIGN_IN_BODIES } from '../../rest/sign-in-bodies.js';
import { breaches } from './json-schema.js';
import { createTestApp } from './support-app.js';

let app: FastifyInstance;
let document: OpenApiDocument;
beforeAll(async () => {
  ({ app } = await createTestApp());
  document = (await app.inject('/gateway/openapi.json')).json();
});
afterAll(() => app.close());

const SAMPLES: Record<string, Record<string, string>[]> = {
  AcceptInviteRequest: [{ token: 't' }, { token: 't', name: 'Ada', password: 'p' }],
  ChangePasswordRequest: [{ current_password: 'p', password: 'q' }],
  ForgotPasswordRequest: [{ email: 'ada@example.com' }],
  LinkAccountsRequest: [{ token: 't' }],
  LoginForm: [
    { email: 'ada@example.com', password: 'p' },
    { email: 'ada@example.com', password: 'p', return_to: '/' },
  ],
  LoginRequest: [{ email: 'ada@example.com', password: 'p' }],
  ReauthenticateRequest: [{ password: 'p' }, { password: 'p', code: '123456' }],
  ResetPasswordRequest: [{ token: 't', password: 'p' }],
  SamlForm: [{ SAMLResponse: 'PHg+' }, { SAMLResponse: 'PHg+', RelayState: '' }],
  SecondStepForm: [
    { challenge_id: 'c', step: 'send' },
    { challenge_id: 'c', step: 'verify', code: '123456', return_to: '/' },
  ],
  SendCodeRequest: [{ challenge_id: 'c' }],
  SwitchTenantRequest: [{ tenant_id: 't' }],
  VerifyRequest: [
    { challenge_id: 'c', code: '123456' },
    { challenge_id: 'c', code: '123456', method: 'totp' },
  ],
};

/** A sample with one member left out, of another type, empty, too long or too many. */
function* variantsOf(sample: Record<string, string>): Iterable<Record<string, unknown>> {
  for (const name of Object.keys(sample)) {
    const { [name]: _left, ...rest } = sample;
    yield rest;
    for (const value of [7, null, '', 'x'.repeat(70), 'x'.repeat(300), 'x'.repeat(10_000)]) yield { ...sample, [name]: value };
  }
}

const documented = (name: string, body: unknown) => breaches(document.components.schemas, document.components.schemas[name]!, body);

test('the document knows every body of signing in, and a sample of each is here', () => {
  const posted = Object.entries(document.paths)
    .filter(([path]) => /^(\/api)?\/auth\//.test(path))
    .flatMap(([, { post }]) =>
      Object.values(((post?.requestBody ?? {}) as { content?: Record<string, { schema: { $ref: string } }> }).content ?? {}),
    )
    .map(({ schema }) => schema.$ref.split('/').at(-1)!);
  expect([...new Set(posted)].sort()).toEqual(Object.keys(SIGN_IN_BODIES));
  expect(Object.keys(SAMPLES)).toEqual(Object.keys(SIGN_IN_BODIES));
});

test.each(Object.keys(SAMPLES))('what the document says of %s is what the route takes', (name) => {
  const schema = SIGN_IN_BODIES[name]!;
  for (const sample of SAMPLES[name]!) {
    expect([sample, schema.safeParse(sample).success, documented(name, sample)]).toEqual([sample, true, []]);
    const verdicts = [...variantsOf(sample)].map((body) => ({
      body,
      taken: schema.safeParse(body).success,
      documented: documented(name, body).length === 0,
    }));
    expect(verdicts.filter(({ taken, documented: isDocumented }) => taken !== isDocumented)).toEqual([]);
    expect(verdicts.some(({ taken }) => !taken)).toBe(true);
    if (name === 'SamlForm') continue;
    const more = { ...sample, surplus: 'x' };
    expect([schema.safeParse(more).success, documented(name, more).length === 0]).toEqual([false, false]);
  }
});

test('every member of a body is described', () => {
  for (const name of Object.keys(SIGN_IN_BODIES)) {
    const schema = document.components.schemas[name] as { description?: string; properties?: object; oneOf?: { properties: object }[] };
    expect([name, schema.description]).toEqual([name, expect.stringMatching(/\.$/)]);
    for (const { properties } of schema.oneOf ?? [{ properties: schema.properties! }])
      for (const [member, facts] of Object.entries(properties) as [string, { description?: string }][])
        expect([name, member, facts.description]).toEqual([name, member, expect.stringMatching(/\.$/)]);
  }
});
