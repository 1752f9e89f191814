import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AuthContext } from '../base/auth-context.js';
import type { EngineServices } from './context.js';

/** Who is behind the id in a hook's address. */
export interface HookTarget {
  /** What messages must be signed with; undefined where none was agreed on, so that nothing is taken. */
  readonly secret: string | undefined;
  /** Whose job a message becomes. */
  readonly auth: AuthContext;
}

/** What an engine makes of a message: a job of its own. */
export interface HookJob {
  readonly kind: string;
  readonly payload: Record<string, unknown>;
}

/**
 * A way in for the messages of another system: `POST /gateway/hooks/<kind>/{id}` (decision 46). The gateway limits calls, keeps a ledger
 * against replays and adds the job; the engine gets body, signature and secret, and nothing else of the request.
 */
export interface EngineHook {
  readonly kind: string;
  /** What posts to it, signed how; a whole sentence for the API documentation. */
  readonly description: string;
  /** Header that carries the signature. */
  readonly signatureHeader: string;
  /** An address of an earlier release, with `:id` in it, that still answers. */
  readonly formerPath?: string;
  find(services: Pick<EngineServices, 'database' | 'masterKey'>, id: string): Promise<HookTarget | null>;
  isSigned(body: Buffer, signature: string, secret: string): boolean;
  /** The job that a signed message asks for; null for one that is of no concern. @throws PalisadeError BAD_REQUEST when it cannot be read */
  jobOf(id: string, body: Buffer): HookJob | null;
}

/** Whether `signature` is `sha256=<hex>`, the HMAC-SHA-256 over the body (WebSub, section 7), in a time that tells nothing of it. */
export function hasHubSignature(body: Buffer, signature: string, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
