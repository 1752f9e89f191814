import { sign, type KeyObject } from 'node:crypto';
import { systemClock } from '../../kit/base/clock.js';
import { openKeyRing, type KeyPurpose, type KeyRing } from '../../kit/keys/key-ring.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import type { World } from '../support/world.js';

export const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const decode = (segment: string) => JSON.parse(Buffer.from(segment, 'base64url').toString()) as Record<string, unknown>;

/** A compact JWS in its parts. */
export function partsOf(token: string) {
  const [header, payload, signature] = token.split('.') as [string, string, string];
  return { header: decode(header), payload: decode(payload), signature, raw: { header, payload } };
}

/** A compact JWS with any header and payload, signed with Ed25519. */
export function signed(header: object, payload: object, key: KeyObject): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}

/** The deployment's own keys: what is refused although they have signed it is refused for what it says. */
export function ringOf(world: Pick<World, 'database'>, purpose: KeyPurpose): Promise<KeyRing> {
  const masterKey = openMasterKey({ PALISADE_SECRET: process.env['PALISADE_TEST_SECRET'], dataDir: null });
  return openKeyRing({ database: world.database, masterKey, clock: systemClock }, purpose);
}

/** The token of a cookie. */
export const tokenOf = (cookie: string | null): string => cookie!.slice(cookie!.indexOf('=') + 1);
