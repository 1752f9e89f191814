import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AuditLog } from '../kit/audit/audit.js';
import type { AuthContext } from '../kit/base/auth-context.js';
import type { AnyCollection } from '../kit/store/collection.js';
import type { Clock } from '../kit/base/clock.js';
import type { Config } from '../kit/base/config.js';
import type { Database } from '../kit/store/database.js';
import type { JobQueue } from '../kit/work/jobs.js';
import { openKeyRing, signingKeys, type KeyRing } from '../kit/keys/key-ring.js';
import { getLinkTokens } from '../kit/keys/link-token.js';
import type { Logger } from '../kit/base/logger.js';
import type { Mailer } from '../kit/work/mail.js';
import type { MasterKey } from '../kit/keys/master-key.js';
import type { Outbound } from '../kit/outbound/outbound.js';
import { apiKeys } from '../accounts/api-keys/records.js';
import { publicOrigin } from '../kit/base/public-origin.js';
import { domainClaims, domainHolders } from '../accounts/domains/records.js';
import { invites } from '../accounts/invites.js';
import { mailedCodes, secondSteps } from '../accounts/factors/records.js';
import { memberships, organizations, tenants, users } from '../accounts/records.js';
import { sessions } from '../accounts/session-record.js';
import { ssoIdentities, ssoSettings } from '../accounts/providers/records.js';
import { supportAccesses } from '../accounts/support-access.js';
import type { RateLimiter } from '../http/rate-limit.js';
import { rateWindows } from '../http/rate-window.js';
import { accountPages } from './account-pages.js';
import { authenticateKey, hasBearer } from './api-key.js';
import { authenticateSession, contextOf } from './authenticate.js';
import { createBruteForceGuard, signInAttempts } from './brute-force.js';
import { loginPageRoutes, type NamedAccount } from './login-page.js';
import { oauthRoutes } from './oauth/routes.js';
import { oauthStates } from './oauth/states.js';
import type { AuthParts } from './parts.js';
import { createPasswordVerifier } from './password.js';
import { createRememberedDevices } from './device-tokens.js';
import { authRoutes } from './routes.js';
import { samlAssertions, samlRequests } from './saml/records.js';
import { samlRoutes } from './saml/routes.js';
import { secondStepPage } from './second-step/page.js';
import { createSessionTokens } from './session-token.js';
import { Sessions } from './sessions.js';
import { passwordStrategy } from './strategies.js';

export { assertJsonBody, assertSameOrigin } from './csrf.js';
export { hashPassword } from './password.js';

export interface AuthDependencies {
  readonly config: Partial<Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT' | 'VERIFIED_DOMAINS'>>;
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly jobs: JobQueue;
  readonly mailer: Mailer;
  readonly outbound: Outbound;
  readonly logger: Logger;
  /** Counts calls to /api/auth per address; they are uncounted when absent. */
  readonly rateLimiter?: RateLimiter;
  /** Accounts that the sign-in page names: those of the demo. None when absent. */
  readonly named?: () => readonly NamedAccount[];
  /** The ring of the session tokens; opened here when absent. */
  readonly keyRing?: KeyRing;
}

/** Signing in and out, and telling who calls. */
export interface Auth {
  /**
   * The caller of a request, by its API key or its cookie.
   * @throws PalisadeError UNAUTHENTICATED without a live session or key; BAD_REQUEST with both; FORBIDDEN when another site sent an unsafe call
   */
  authenticate(request: FastifyRequest): Promise<AuthContext>;
  /** Adds the routes under /api/auth. They throw PalisadeErrors: the app's error handler makes the envelope. */
  registerRoutes(app: FastifyInstance): void;
  /** The parts, for further ways of signing in and for tests. */
  readonly parts: AuthParts;
}

/** Collections of sign-in and limits, which `Database.open` makes. */
export const AUTH_COLLECTIONS: readonly AnyCollection[] = [
  organizations,
  tenants,
  users,
  memberships,
  invites,
  sessions,
  apiKeys,
  supportAccesses,
  secondSteps,
  mailedCodes,
  signingKeys,
  signInAttempts,
  rateWindows,
  ssoSettings,
  ssoIdentities,
  domainClaims,
  domainHolders,
  samlRequests,
  samlAssertions,
  oauthStates,
];

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
    config,
    audit: new AuditLog(database, masterKey),
    sessions: new Sessions(database, clock),
    tokens: createSessionTokens(keyRing, clock),
    bruteForce: createBruteForceGuard({ database, clock }),
    devices: createRememberedDevices(await openKeyRing({ database, masterKey, clock }, 'device'), clock),
    strategies: [passwordStrategy(database, passwords)],
    passwords,
    links: await getLinkTokens({ database, masterKey, clock }),
    linkOrigin: publicOrigin(config),
    publicUrl: config.PUBLIC_URL,
  };
  return {
    parts,
    authenticate: async (request) =>
      hasBearer(request) ? authenticateKey(parts, request) : contextOf(await authenticateSession(parts, request), request, clock.now()),
    registerRoutes(app) {
      void app.register(authRoutes(parts, rateLimiter));
      void app.register(secondStepPage(parts, rateLimiter));
      void app.register(accountPages(parts, rateLimiter));
      void app.register(oauthRoutes(parts, rateLimiter));
      void app.register(loginPageRoutes(parts, rateLimiter, dependencies.named));
      void app.register(samlRoutes(parts, rateLimiter));
    },
  };
}
