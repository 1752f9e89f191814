import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type AppDependencies } from '../../app.js';
import { createGraph } from '../../gateway/graph/graph.js';
import type { RateDecision, RateLimiter } from '../../http/rate-limit.js';
import { permissionsOf, type Role } from '../../schema/permissions.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import { createLogger } from '../../kit/base/logger.js';
import { unauthenticated } from '../../kit/base/errors.js';
import { createFolderObjectStore } from '../../kit/store/object-store.js';
import { engines, plainCaller } from './support-engines.js';

/** Signed in by a header, which only tests know. */
export const as = (role: Role): { 'x-test-role': Role } => ({ 'x-test-role': role });

const decision = (left: number): RateDecision => ({
  allowed: left >= 0,
  window: 'minute',
  limit: 60,
  remaining: Math.max(0, left),
  reset: 1_900_000_000,
  retry_after: 17,
});

/** A limiter that lets `left` calls of a session and `leftOfAddress` calls without one pass. */
export function countingLimiter(left = Infinity, leftOfAddress = Infinity) {
  const state = { left, leftOfAddress };
  const limiter: RateLimiter = {
    consume: async () => decision(Math.min(60, (state.left -= 1))),
    consumeAddress: async () => decision(Math.min(60, (state.leftOfAddress -= 1))),
    consumeHook: async () => decision(60),
    consumeAgent: async () => decision(60),
    peek: async () => decision(60),
    peekAddress: async () => decision(60),
  };
  return { limiter, state };
}

export interface TestOptions extends Partial<AppDependencies> {
  lines?: string[];
}

/** An app over the throwaway engines, and the folder of its uploads. */
export async function createTestApp(options: TestOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'palisade-rest-'));
  const logger = createLogger('error', { write: (line) => void options.lines?.push(line) });
  const auth: AppDependencies['auth'] = {
    authenticate: async (request) => {
      const role = request.headers['x-test-role'] as Role | undefined;
      if (role === undefined) throw unauthenticated();
      const names = { user_id: 'u1', email: 'u@example.com', name: 'U', session_id: 's1' };
      const context: AuthContext = {
        tenant_id: 't1',
        organization_id: 'o1',
        plan: 'starter',
        ...names,
        role,
        permissions: permissionsOf(role),
        request_id: request.id,
        ip_address: request.ip,
      };
      return context;
    },
    registerRoutes: () => undefined,
  };
  const graph = options.graph ?? (await createGraph({ engines, caller: plainCaller(), logger }));
  const app = await createApp({
    config: { MAX_IMPORT_MB: 32, ENGINE_TIMEOUT_MS: 10_000 },
    engines,
    graph,
    auth,
    rateLimiter: countingLimiter().limiter,
    objects: createFolderObjectStore(folder),
    logger,
    version: '1.2.3',
    ...options,
  });
  await app.ready();
  /** Files that uploads left, whole or in part. */
  const stored = async (): Promise<string[]> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  };
  return { app, stored, graph };
}
