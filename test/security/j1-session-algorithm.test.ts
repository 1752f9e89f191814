import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { signingKeys } from '../../kit/keys/key-ring.js';
import { openWorld, type World } from '../support/world.js';
import { encode, partsOf, signed, tokenOf } from './forging.js';
import { expectAccepted, expectRefused } from './session-calls.js';

let world: World;
let token: string;
beforeAll(async () => {
  world = await openWorld();
  token = tokenOf((await (await world.tenant()).as('viewer')).cookie);
});
afterAll(() => world.close());

describe('J1', () => {
  it('accepts the genuine token, before and after the forged ones', () => expectAccepted(world, token));

  it.each(['none', 'None', 'NONE', 'nOnE', '', 'HS256', 'RS256', 'ES256'])('refuses the algorithm "%s"', async (alg) => {
    const { header, raw, signature } = partsOf(token);
    await expectRefused(world, `${encode({ ...header, alg })}.${raw.payload}.`);
    await expectRefused(world, `${encode({ ...header, alg })}.${raw.payload}.${signature}`);
    await expectAccepted(world, token);
  });

  it('refuses an empty signature and stripped or added segments', async () => {
    const { raw, signature } = partsOf(token);
    const forged = [
      `${raw.header}.${raw.payload}.`,
      `${raw.header}.${raw.payload}`,
      `.${raw.payload}.${signature}`,
      `${raw.header}..${signature}`,
      `${token}.${signature}`,
      '',
      '..',
    ];
    for (const one of forged) await expectRefused(world, one);
  });

  it('refuses HS256 keyed with the public key, in each of its forms', async () => {
    const { header, payload } = partsOf(token);
    const row = (await world.database.system(signingKeys).findOne({ _id: header['kid'] }))!;
    const key = createPublicKey(row.public_key);
    const forms = [
      row.public_key,
      row.public_key.trim(),
      key.export({ type: 'spki', format: 'der' }),
      Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url'),
    ];
    for (const form of forms) {
      const input = `${encode({ ...header, alg: 'HS256' })}.${encode(payload)}`;
      await expectRefused(world, `${input}.${createHmac('sha256', form).update(input).digest('base64url')}`);
    }
  });

  it('refuses the right algorithm under a key of our own making', async () => {
    const { header, payload } = partsOf(token);
    await expectRefused(world, signed(header, payload, generateKeyPairSync('ed25519').privateKey));
  });
});
