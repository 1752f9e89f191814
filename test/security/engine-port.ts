import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signJws } from '../../kit/keys/strict-jws.js';
import { permissionsOf } from '../../schema/permissions.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import type { KeyRing } from '../../kit/keys/key-ring.js';
import { startProcess } from '../support/process.js';
import { openWorld, type World } from '../support/world.js';
import { ringOf } from './forging.js';

export const BODY = JSON.stringify({ query: '{ check_findings { total } }' });
export const pathOf = (engine: string): string => `/engines/${engine}/graphql`;

/** A call to an engine's port as it is sent. */
export interface EngineCall {
  engine?: string;
  method?: string;
  path?: string;
  body?: string;
  headers?: readonly string[];
}

/** An engines process, the keys that its gateway signs with, and a context of a viewer of one tenant. */
export interface EnginePort {
  readonly world: World;
  readonly ring: KeyRing;
  readonly auth: AuthContext;
  send(context: string | undefined, call?: EngineCall): Promise<{ status: number; text: string }>;
  /** A token whose payload is written by hand, so that it may be wrong in any part; the caller is `auth` as it is. */
  signByHand(auth: unknown, claims?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export async function openEnginePort(): Promise<EnginePort> {
  const name = `port_${randomBytes(4).toString('hex')}`;
  const world = await openWorld(name, 'http://127.0.0.1:1');
  const engines = await startProcess(['engines'], {
    MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI']!,
    MONGODB_DB: name,
    PALISADE_SECRET: process.env['PALISADE_TEST_SECRET']!,
    OBJECT_DIR: mkdtempSync(join(tmpdir(), 'palisade-port-')),
    LOG_LEVEL: 'silent',
  });
  const ring = await ringOf(world, 'auth-context');
  const { tenant } = await world.tenant();
  const auth: AuthContext = {
    tenant_id: tenant._id,
    organization_id: tenant.organization_id,
    plan: 'growth',
    user_id: 'usr_1',
    email: 'viewer@test.example',
    name: 'Viewer',
    session_id: 'session',
    role: 'viewer',
    permissions: permissionsOf('viewer'),
    request_id: 'request',
    ip_address: '127.0.0.1',
  };
  return {
    world,
    ring,
    auth,
    send: (context, { engine = 'check', method = 'POST', path = pathOf(engine), body = BODY, headers = [] } = {}) =>
      new Promise((resolve, reject) => {
        const url = new URL(engines.url);
        const own = ['Host', url.host, 'Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))];
        const given = context === undefined ? [] : ['X-Auth-Context', context];
        const sent = request(`${url.origin}${path}`, { method, headers: [...own, ...given, ...headers] }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () => resolve({ status: response.statusCode!, text }));
        });
        sent.on('error', reject).end(body);
      }),
    signByHand(caller, claims = {}) {
      const iat = Math.floor(Date.now() / 1000);
      return signJws(ring, 'palisade-context+jws', {
        iss: 'palisade-gateway',
        aud: 'engine:check',
        iat,
        exp: iat + 30,
        jti: randomBytes(16).toString('base64url'),
        method: 'POST',
        path: pathOf('check'),
        body: createHash('sha256').update(BODY).digest('base64url'),
        auth: caller,
        ...claims,
      });
    },
    async close() {
      await engines.end('SIGTERM');
      await world.database.drop();
      await world.close();
    },
  };
}
