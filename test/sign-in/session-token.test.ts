import { createHmac, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { openKeyRing, signingKeys } from '../../kit/keys/key-ring.js';
import { signJws } from '../../kit/keys/strict-jws.js';
import { createWorld, tokenOf, type World } from './world.js';

let world: World;
let token: string;
beforeAll(async () => {
  world = await createWorld();
  await world.member('ada@example.com', 'analyst');
  token = tokenOf(await world.signIn('ada@example.com'));
});
afterAll(() => world.close());

const encode = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const decode = (segment: string) => JSON.parse(Buffer.from(segment, 'base64url').toString()) as Record<string, unknown>;
const parts = () => {
  const [header, payload, signature] = token.split('.') as [string, string, string];
  return { header: decode(header), payload: decode(payload), signature, raw: { header, payload } };
};
const resigned = (header: object, payload: object, key: KeyObject) => {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
};

/** Told to who shows a token that we have signed. */
const ENDED = 'Your session has ended: sign in again';

async function expectRefused(forged: string, message: unknown = 'Sign in first') {
  const response = await world.whoami(forged);
  expect(response.statusCode).toBe(401);
  expect(response.json()).toEqual({
    page: 'gateway',
    error_code: 'UNAUTHENTICATED',
    message,
    detail: null,
    degraded_engines: [],
  });
}

test('the genuine token is accepted', async () => {
  expect((await world.whoami(token)).statusCode).toBe(200);
});

describe('J1: other algorithms', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', ''])('alg %s', async (alg) => {
    const { header, raw, signature } = parts();
    await expectRefused(`${encode({ ...header, alg })}.${raw.payload}.`);
    await expectRefused(`${encode({ ...header, alg })}.${raw.payload}.${signature}`);
  });

  test('an empty or missing signature, a missing segment, more segments', async () => {
    const { raw, signature } = parts();
    for (const forged of [
      `${raw.header}.${raw.payload}.`,
      `${raw.header}.${raw.payload}`,
      `.${raw.payload}.${signature}`,
      `${token}.${signature}`,
      '',
      '..',
      'x',
    ])
      await expectRefused(forged);
  });

  test('HS256 keyed with the public key, in each of its forms', async () => {
    const { header, payload } = parts();
    const row = await world.database.system(signingKeys).findOne({ _id: header['kid'] });
    const key = createPublicKey(row!.public_key);
    const forms = [
      row!.public_key,
      row!.public_key.trim(),
      key.export({ type: 'spki', format: 'der' }),
      Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url'),
    ];
    for (const form of forms) {
      const input = `${encode({ ...header, alg: 'HS256' })}.${encode(payload)}`;
      await expectRefused(`${input}.${createHmac('sha256', form).update(input).digest('base64url')}`);
    }
  });

  test('another EdDSA key', async () => {
    const { header, payload } = parts();
    await expectRefused(resigned(header, payload, generateKeyPairSync('ed25519').privateKey));
  });
});

describe('J2: nothing of the header chooses the key', () => {
  test.each([
    ['unknown', 'session.999'],
    ['a path', '../../dev/null'],
    ['a query', { $ne: '' }],
    ['a prototype', '__proto__'],
    ['10 KB', 'k'.repeat(10_240)],
    ['an array', ['session.1']],
    ['with zeros', 'session.01'],
    ['of another ring', 'auth-context.1'],
    ['nothing', undefined],
    ['a null byte', 'session.1\0'],
  ])('kid %s', async (_name, kid) => {
    const { header, raw, signature } = parts();
    await expectRefused(`${encode({ ...header, kid })}.${raw.payload}.${signature}`);
  });

  test.each([
    ['jwk', (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' })],
    ['jku', () => 'https://evil.example/keys'],
    ['x5u', () => 'https://evil.example/cert'],
    ['crit', () => ['exp']],
    ['b64', () => false],
  ] as const)('%s in the header, under a foreign key and under our own', async (member, value) => {
    const { header, payload } = parts();
    const { privateKey } = generateKeyPairSync('ed25519');
    await expectRefused(resigned({ ...header, [member]: value(privateKey) }, payload, privateKey));
    const { key } = await (await openKeyRing(world, 'session')).signingKey();
    await expect(world.whoami(resigned(header, payload, key))).resolves.toMatchObject({ statusCode: 200 });
    await expectRefused(resigned({ ...header, [member]: value(key) }, payload, key));
  });

  test('a header that is no JSON object', async () => {
    const { raw, signature } = parts();
    for (const header of ['null', '[]', '"EdDSA"', '{', '{"alg":"EdDSA"}'])
      await expectRefused(`${encode(header)}.${raw.payload}.${signature}`);
  });
});

describe('J3: other claims', () => {
  test.each([
    ['tenant_id', (): unknown => world.second.tenant_id],
    ['sub', (): unknown => 'usr_other'],
    ['sid', (): unknown => 'x'.repeat(32)],
    ['exp', (): unknown => 4_000_000_000],
  ] as const)('%s changed under the old signature', async (claim, value) => {
    const { raw, payload, signature } = parts();
    await expectRefused(`${raw.header}.${encode({ ...payload, [claim]: value() })}.${signature}`);
  });

  test('claims that our own key has signed, and that do not hold', async () => {
    const { payload } = parts();
    const ring = await openKeyRing(world, 'session');
    const signed = (claims: object): Promise<string> => signJws(ring, 'palisade-session+jws', claims as Record<string, unknown>);
    const now = payload['iat'] as number;
    await expect(world.whoami(await signed(payload))).resolves.toMatchObject({ statusCode: 200 });
    await expectRefused(await signed({ ...payload, iat: now - 901, exp: now - 1 }), ENDED);
    await expectRefused(await signed({ ...payload, exp: now }), ENDED);
    await expectRefused(await signed({ ...payload, iat: now + 60, exp: now + 900 }));
    await expectRefused(await signed({ ...payload, nbf: now + 600 }));
    await expectRefused(await signed({ ...payload, exp: now + 90_000 }));
    await expectRefused(await signed({ ...payload, iss: 'another' }));
    await expectRefused(await signed({ ...payload, aud: 'engine:check' }));
    await expectRefused(await signed({ ...payload, tenant_id: world.second.tenant_id }), ENDED);
    await expectRefused(await signed({ ...payload, sub: { $ne: '' } }));
    await expectRefused(await signed({ ...payload, role: 'org_admin' }));
  });

  test('a token of another purpose', async () => {
    const { payload } = parts();
    await expectRefused(await signJws(await openKeyRing(world, 'session'), 'palisade-context+jws', payload));
    await expectRefused(await signJws(await openKeyRing(world, 'auth-context'), 'palisade-session+jws', payload));
  });

  test('no cookie, and two of the name', async () => {
    expect((await world.app.inject('/whoami')).statusCode).toBe(401);
    const two = await world.app.inject({ url: '/whoami', headers: { cookie: `access_token=${token}; access_token=${token}` } });
    expect(two.statusCode).toBe(401);
    expect((await world.app.inject({ url: '/whoami', headers: { authorization: `Bearer ${token}` } })).statusCode).toBe(401);
  });

  test('an expired token', async () => {
    world.clock.advance(12 * 3_600_000);
    await expectRefused(token, ENDED);
  });
});
