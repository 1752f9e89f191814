import type { FastifyRequest } from 'fastify';
import type { AuditLog } from '../kit/audit/audit.js';
import type { Config } from '../kit/base/config.js';
import type { Clock } from '../kit/base/clock.js';
import type { Database } from '../kit/store/database.js';
import type { JobQueue } from '../kit/work/jobs.js';
import type { LinkTokens } from '../kit/keys/link-token.js';
import type { Logger } from '../kit/base/logger.js';
import type { Mailer } from '../kit/work/mail.js';
import type { MasterKey } from '../kit/keys/master-key.js';
import type { Outbound } from '../kit/outbound/outbound.js';
import type { BruteForceGuard } from './brute-force.js';
import type { PasswordVerifier } from './password.js';
import type { RememberedDevices } from './device-tokens.js';
import type { SessionTokens } from './session-token.js';
import type { Sessions } from './sessions.js';
import type { SignInStrategy } from './strategies.js';

/** What the steps of signing in are made of. */
export interface AuthParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: AuditLog;
  readonly sessions: Sessions;
  readonly tokens: SessionTokens;
  readonly bruteForce: BruteForceGuard;
  readonly devices: RememberedDevices;
  readonly strategies: readonly SignInStrategy[];
  readonly passwords: PasswordVerifier;
  readonly links: LinkTokens;
  /** The origin of links in mails, and of the addresses that identity providers know. */
  readonly linkOrigin: string;
  readonly masterKey: MasterKey;
  readonly jobs: JobQueue;
  readonly mailer: Mailer;
  readonly outbound: Outbound;
  readonly logger: Logger;
  /** The domains that the operator answers for. */
  readonly config: Pick<Partial<Config>, 'VERIFIED_DOMAINS'>;
  /** The address that browsers use, when it differs from the Host header. */
  readonly publicUrl: string | undefined;
}

/** Who asks, as far as the connection tells. */
export interface Client {
  ip_address: string;
  user_agent: string;
}

export const clientOf = (request: FastifyRequest): Client => ({ ip_address: request.ip, user_agent: request.headers['user-agent'] ?? '' });
