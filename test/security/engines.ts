import { createContextSigner, type ContextSigner } from '../../gateway/auth-context-token.js';
import { enginePath } from '../../gateway/transports/http.js';
import { permissionsOf, type Role } from '../../schema/permissions.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import { systemClock } from '../../kit/base/clock.js';
import { openKeyRing } from '../../kit/keys/key-ring.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { startProcess, type TestProcess } from '../support/process.js';
import { Client, type Answer, type TestTenant, type World } from '../support/world.js';

interface GraphBody {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions: { code: string } }[];
}

/** An engines process, and a gateway's hand to sign what is sent to it. */
export interface EnginesPort {
  readonly process: TestProcess;
  readonly signer: ContextSigner;
  contextOf(tenant: TestTenant, role: Role): Promise<AuthContext>;
  /** Calls an engine with a genuine context for exactly this call. */
  call(engine: string, query: string, auth: AuthContext, variables?: Record<string, unknown>): Promise<Answer<GraphBody>>;
  /** Calls an engine with the headers given. */
  raw(engine: string, body: string, headers: Record<string, string>): Promise<Answer<GraphBody>>;
}

/** Starts an engines process over the database `name` of the shared store. */
export async function openEngines(world: World, name: string): Promise<EnginesPort> {
  const secret = process.env['PALISADE_TEST_SECRET']!;
  const engines = await startProcess(['engines'], {
    MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI']!,
    MONGODB_DB: name,
    PALISADE_SECRET: secret,
    LOG_LEVEL: 'silent',
  });
  const masterKey = openMasterKey({ PALISADE_SECRET: secret, dataDir: null });
  const ring = await openKeyRing({ database: world.database, masterKey, clock: systemClock }, 'auth-context');
  const signer = createContextSigner(ring, systemClock);
  const client = new Client(engines.url, null, null);
  const raw = (engine: string, body: string, headers: Record<string, string>) =>
    client.call<GraphBody>(enginePath(engine), { raw: body, headers: { 'content-type': 'application/json', ...headers } });
  return {
    process: engines,
    signer,
    raw,
    async contextOf({ tenant, as }, role) {
      const { user } = await as(role);
      const { tenant_id, organization_id, plan } = tenant;
      return {
        tenant_id,
        organization_id,
        plan,
        user_id: user!._id,
        email: user!.email,
        name: user!.name,
        session_id: 'a session of the test',
        role,
        permissions: permissionsOf(role),
        request_id: 'a request of the test',
        ip_address: '192.0.2.1',
      };
    },
    async call(engine, query, auth, variables) {
      const body = JSON.stringify({ query, variables });
      const claims = { engine, method: 'POST', path: enginePath(engine), body };
      return raw(engine, body, { 'x-auth-context': await signer.sign(auth, claims) });
    },
  };
}
