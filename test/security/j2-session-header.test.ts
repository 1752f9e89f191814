import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openWorld, type World } from '../support/world.js';
import { encode, partsOf, ringOf, signed, tokenOf } from './forging.js';
import { expectAccepted, expectRefused } from './session-calls.js';

let world: World;
let token: string;
let listener: Server;
let fetched = 0;
let address: string;
beforeAll(async () => {
  world = await openWorld();
  token = tokenOf((await (await world.tenant()).as('viewer')).cookie);
  listener = createServer((_request, response) => {
    fetched++;
    response.end('{"keys":[]}');
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/keys`;
});
afterAll(async () => {
  listener.close();
  await world.close();
});

describe('J2', () => {
  it.each([
    ['that is unknown', 'session.999'],
    ['that is a path', '../../dev/null'],
    ['that is a query', { $ne: '' }],
    ['that is a prototype', '__proto__'],
    ['of a constructor', 'constructor'],
    ['of 10 KB', 'k'.repeat(10_240)],
    ['in an array', ['session.1']],
    ['with zeros', 'session.01'],
    ['of another ring', 'auth-context.1'],
    ['that is not there', undefined],
    ['with a null byte', 'session.1\0'],
    ['with a newline', 'session.1\n'],
  ])('refuses a kid %s', async (_name, kid) => {
    const { header, raw, signature } = partsOf(token);
    await expectRefused(world, `${encode({ ...header, kid })}.${raw.payload}.${signature}`);
    await expectAccepted(world, token);
  });

  it('refuses jwk, jku, x5u, x5c and crit in the header, even of a token that our own key has signed, and fetches nothing', async () => {
    const { header, payload } = partsOf(token);
    const { privateKey } = generateKeyPairSync('ed25519');
    const { key } = await (await ringOf(world, 'session')).signingKey();
    await expectAccepted(world, signed(header, payload, key));
    const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
    for (const extra of [
      { jwk },
      { jku: address },
      { x5u: address },
      { x5c: ['x'] },
      { crit: ['exp'] },
      { crit: ['unknown'], unknown: 1 },
      { b64: false },
    ]) {
      await expectRefused(world, signed({ ...header, ...extra }, payload, privateKey));
      await expectRefused(world, signed({ ...header, ...extra }, payload, key));
    }
    expect(fetched).toBe(0);
    await fetch(address);
    expect(fetched).toBe(1);
  });

  it('refuses a header that is no JSON object', async () => {
    const { raw, signature } = partsOf(token);
    for (const header of ['null', '[]', '"EdDSA"', '{', '{"alg":"EdDSA"}', '{"__proto__":{"alg":"EdDSA"}}'])
      await expectRefused(world, `${encode(header)}.${raw.payload}.${signature}`);
  });
});
