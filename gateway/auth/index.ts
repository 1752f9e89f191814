import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuditLog } from '../../subgraphs/_kit/audit.js';
import type { AuthContext } from '../../subgraphs/_kit/auth-context.js';
import type { CollectionDefinition } from '../../subgraphs/_kit/collection.js';
import type { Clock } from '../../subgraphs/_kit/clock.js';
import type { Database } from '../../subgraphs/_kit/database.js';
import type { JobQueue } from '../../subgraphs/_kit/jobs.js';
import { openKeyRing, signingKeys, type KeyRing } from '../../subgraphs/_kit/key-ring.js';
import type { Logger } from '../../subgraphs/_kit/logger.js';
import type { Mailer } from '../../subgraphs/_kit/mail.js';
import type { MasterKey } from '../../subgraphs/_kit/master-key.js';
import type { Outbound } from '../../subgraphs/_kit/outbound.js';
import { memberships, organizations, tenants, users } from '../../subgraphs/identity/records.js';
import { sessions } from '../../subgraphs/identity/session-record.js';
import { ssoIdentities, ssoSettings } from '../../subgraphs/identity/sso/records.js';
import { rateWindows, type RateLimiter } from '../rate-limit.js';
import { authenticateSession, contextOf } from './authenticate.js';
import { createBruteForceGuard, signInAttempts } from './brute-force.js';
import { loginPageRoutes } from './login-page.js';
import { oauthRoutes } from './oauth/routes.js';
import { oauthStates } from './oauth/states.js';
import type { AuthParts } from './parts.js';
import { createPasswordVerifier } from './password.js';
import { authRoutes } from './routes.js';
import { samlAssertions, samlRequests } from './saml/records.js';
import { samlRoutes } from './saml/routes.js';
import { createSessionTokens } from './session-token.js';
import { Sessions } from './sessions.js';
import { passwordStrategy } from './strategies.js';

export { assertJsonBody, assertSameOrigin } from './csrf.js';
export { hashPassword } from './password.js';

export interface AuthDependencies {
  readonly config: { readonly PUBLIC_URL?: string };
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly jobs: JobQueue;
  readonly mailer: Mailer;
  readonly outbound: Outbound;
  readonly logger: Logger;
  /** Counts calls to /api/auth per address; they are uncounted when absent. */
  readonly rateLimiter?: RateLimiter;
  /** The ring of the session tokens; opened here when absent. */
  readonly keyRing?: KeyRing;
}

/** Signing in and out, and telling who calls. */
export interface Auth {
  /**
   * The caller of a request, by its cookie; the reply gets a new cookie when the old one ages.
   * @throws PalisadeError UNAUTHENTICATED without a live session; FORBIDDEN when another site sent an unsafe call
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<AuthContext>;
  /** Adds the routes under /api/auth. They throw PalisadeErrors: the app's error handler makes the envelope. */
  registerRoutes(app: FastifyInstance): void;
  /** The parts, for further ways of signing in and for tests. */
  readonly parts: AuthParts;
}

/** Collections of sign-in and limits, which `Database.open` makes. */
export const AUTH_COLLECTIONS = [
  organizations,
  tenants,
  users,
  memberships,
  sessions,
  signingKeys,
  signInAttempts,
  rateWindows,
  ssoSettings,
  ssoIdentities,
  samlRequests,
  samlAssertions,
  oauthStates,
] as unknown as readonly CollectionDefinition<never>[];

/** Makes the sign-in of one gateway process. @throws when the key ring was made under another master key */
export async function createAuth(dependencies: AuthDependencies): Promise<Auth> {
  const { config, database, masterKey, clock, jobs, mailer, outbound, logger, rateLimiter } = dependencies;
  const keyRing = dependencies.keyRing ?? (await openKeyRing({ database, masterKey, clock }, 'session'));
  const passwords = await createPasswordVerifier();
  const parts: AuthParts = {
    database,
    clock,
    masterKey,
    jobs,
    mailer,
    outbound,
    logger,
    audit: new AuditLog(database, masterKey),
    sessions: new Sessions(database, clock),
    tokens: createSessionTokens(keyRing, clock),
    bruteForce: createBruteForceGuard(database, clock),
    strategies: [passwordStrategy(database, passwords)],
    publicUrl: config.PUBLIC_URL,
  };
  return {
    parts,
    authenticate: async (request, reply) => contextOf(await authenticateSession(parts, request, reply), request),
    registerRoutes(app) {
      void app.register(authRoutes(parts, rateLimiter));
      void app.register(oauthRoutes(parts, rateLimiter));
      void app.register(loginPageRoutes(parts, rateLimiter));
      void app.register(samlRoutes(parts, rateLimiter));
    },
  };
}
