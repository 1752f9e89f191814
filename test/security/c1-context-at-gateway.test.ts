import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:http';
import { createContextSigner } from '../../gateway/auth-context-token.js';
import { permissionsOf } from '../../schema/permissions.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import { openWorld, type Client, type World } from '../support/world.js';
import { encode, ringOf, signed } from './forging.js';

let world: World;
let viewer: Client;
let auth: AuthContext;
beforeAll(async () => {
  world = await openWorld();
  const { tenant, as } = await world.tenant();
  viewer = await as('viewer');
  auth = {
    tenant_id: tenant._id,
    organization_id: tenant.organization_id,
    plan: 'growth',
    user_id: 'usr_forged',
    email: 'forged@test.example',
    name: 'Forged',
    session_id: 'forged',
    role: 'org_admin',
    permissions: permissionsOf('org_admin'),
    request_id: 'forged',
    ip_address: '127.0.0.1',
  };
});
afterAll(() => world.close());

/** Sends headers as they are written, twice where they are there twice. */
const get = (path: string, headers: readonly string[]) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(`${world.url}${path}`, { headers: ['Host', new URL(world.url).host, ...headers] }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    });
    sent.on('error', reject).end();
  });

/** Contexts that would be an org_admin's, if the gateway believed them. */
async function contexts(): Promise<[name: string, headers: string[]][]> {
  const payload = { iss: 'palisade-gateway', aud: 'engine:check', auth };
  const unsigned = `${encode({ alg: 'none', typ: 'palisade-context+jws' })}.${encode(payload)}.`;
  const own = signed(
    { alg: 'EdDSA', kid: 'auth-context.1', typ: 'palisade-context+jws' },
    payload,
    generateKeyPairSync('ed25519').privateKey,
  );
  const claims = { engine: 'secops', method: 'GET', path: '/api/v1/secops/findings', body: '' };
  const genuine = await createContextSigner(await ringOf(world, 'auth-context')).sign(auth, claims);
  return [
    ['unsigned', ['X-Auth-Context', unsigned]],
    ['of an own key', ['X-Auth-Context', own]],
    ['as plain JSON', ['X-Auth-Context', JSON.stringify(auth)]],
    ['twice', ['X-Auth-Context', own, 'X-Auth-Context', genuine]],
    ['in other cases', ['x-AUTH-context', own, 'X-auth-Context', unsigned]],
    ["of the gateway's own key", ['X-Auth-Context', genuine]],
  ];
}

describe('C1', () => {
  it('a context that a client sends is ignored: no session is 401, and a viewer stays a viewer', async () => {
    const cookie = ['Cookie', viewer.cookie!];
    for (const [name, headers] of await contexts()) {
      const ask = async (path: string, more: string[] = []) => ({ name, ...(await get(path, [...headers, ...more])) });
      expect(await ask('/api/v1/check/findings')).toMatchObject({ name, status: 401 });
      expect(await ask('/api/v1/secops/findings', cookie)).toMatchObject({ name, status: 403 });
      const me = await ask('/api/v1/users/me', cookie);
      expect(JSON.parse(me.text)).toMatchObject({ role: 'viewer', user_id: viewer.user!._id });
      expect(await ask('/api/v1/check/findings', cookie)).toMatchObject({ name, status: 200 });
    }
  });
});
