import { generateKeyPairSync } from 'node:crypto';
import { createContextSigner, type ContextClaims } from '../../gateway/auth-context-token.js';
import { signJws } from '../../kit/keys/strict-jws.js';
import { fixedClock } from '../../kit/base/clock.js';
import { openEnginePort, BODY, pathOf, type EngineCall, type EnginePort } from './engine-port.js';
import { encode, partsOf, ringOf, signed } from './forging.js';

const LONG = 600_000;
let port: EnginePort;
beforeAll(async () => {
  port = await openEnginePort();
}, LONG);
afterAll(() => port?.close(), LONG);

const genuine = (claims: Partial<ContextClaims> = {}, secondsAgo = 0) => {
  const clock = fixedClock(new Date(Date.now() - secondsAgo * 1000).toISOString());
  return createContextSigner(port.ring, clock).sign(port.auth, {
    engine: 'check',
    method: 'POST',
    path: pathOf('check'),
    body: BODY,
    ...claims,
  });
};
const refused = { status: 401, text: expect.stringContaining('UNAUTHENTICATED') as string };
/** What was refused is refused for what it is: a genuine context for the very same call is let in. */
async function expectRefused(context: string | undefined, call: EngineCall = {}): Promise<void> {
  const { status, text } = await port.send(context, call);
  expect({ status, text }).toEqual(refused);
  expect(text).not.toContain('total');
  expect(await port.send(await genuine())).toEqual({ status: 200, text: '{"data":{"check_findings":{"total":0}}}' });
}

describe('C2', () => {
  it('no context, an unsigned one, and one of an own key are refused', async () => {
    const { header, payload, raw, signature } = partsOf(await genuine());
    await expectRefused(undefined);
    await expectRefused('');
    await expectRefused(JSON.stringify(port.auth));
    await expectRefused(`${encode({ ...header, alg: 'none' })}.${raw.payload}.`);
    await expectRefused(`${encode({ ...header, alg: 'none' })}.${raw.payload}.${signature}`);
    await expectRefused(signed(header, payload, generateKeyPairSync('ed25519').privateKey));
    await expectRefused(`${raw.header}.${encode({ ...payload, auth: { ...port.auth, role: 'org_admin' } })}.${signature}`);
  });

  it('a context beside another is refused, whichever comes first', async () => {
    const [own, good] = [
      signed({ alg: 'EdDSA', kid: 'auth-context.1', typ: 'palisade-context+jws' }, {}, generateKeyPairSync('ed25519').privateKey),
      await genuine(),
    ];
    await expectRefused(own, { headers: ['X-Auth-Context', good] });
    await expectRefused(await genuine(), { headers: ['x-auth-CONTEXT', own] });
    await expectRefused(await genuine(), { headers: ['X-Auth-Context', await genuine()] });
  });

  it('a genuine one is good for its engine, method, path and body alone', async () => {
    await expectRefused(await genuine(), { engine: 'secops', body: JSON.stringify({ query: '{ secops_findings { total } }' }) });
    await expectRefused(await genuine({ engine: 'secops' }));
    await expectRefused(await genuine({ method: 'GET' }));
    await expectRefused(await genuine({ path: '/graphql' }));
    await expectRefused(await genuine(), { path: `${pathOf('check')}?x=1` });
    await expectRefused(await genuine(), { method: 'GET' });
    await expectRefused(await genuine(), { body: JSON.stringify({ query: '{ check_findings { items { finding_id } } }' }) });
    await expectRefused(await genuine(), { body: `${BODY} ` });
  });

  it('it is good once, however many send it at the same time', async () => {
    const once = await genuine();
    expect((await port.send(once)).status).toBe(200);
    await expectRefused(once);
    const raced = await genuine();
    const answers = await Promise.all(Array.from({ length: 20 }, () => port.send(raced)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
  });

  it('it is good for thirty seconds', async () => {
    expect((await port.send(await genuine({}, 20))).status).toBe(200);
    await expectRefused(await genuine({}, 31));
    await expectRefused(await genuine({}, -60));
    const iat = Math.floor(Date.now() / 1000);
    await expectRefused(await port.signByHand(port.auth, { exp: iat + 3600 }));
  });

  it('a token of another purpose is refused', async () => {
    const { payload } = partsOf(await genuine());
    await expectRefused(await signJws(await ringOf(port.world, 'session'), 'palisade-context+jws', payload));
    await expectRefused(await signJws(port.ring, 'palisade-session+jws', payload));
    await expectRefused(await port.signByHand(port.auth, { iss: 'another' }));
  });
});
