import type { Provider } from '../schema/model.js';

/** A way in that the one who connects has given, opened for one piece of work and dropped after it. */
export interface Connection {
  readonly method: 'role' | 'workload_identity' | 'secret';
  readonly values: Readonly<Record<string, string>>;
  /** What the trust of a role is bound to; null where the provider knows no such thing. */
  readonly external_id: string | null;
}

/** The account that is collected, and how it is reached. */
export interface Target {
  readonly provider: Provider;
  readonly account_id: string;
  /** Only these; all when there is none. */
  readonly regions: readonly string[];
  readonly services: readonly string[];
  readonly connection: Connection;
}

/** The connection as a whole does not let in, or lets in too many; the message is told to people and names no secret. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';
}

/** What the cheapest call of a service has shown. */
export interface TriedService {
  readonly service: string;
  /** The permission that the call takes. */
  readonly permission: string;
  readonly granted: boolean;
}

/** Asks one provider what there is. Nothing of one target is kept for another. */
export interface Collector {
  /**
   * Tries the connection: who it lets in, and each service by its cheapest call.
   * @throws ConnectionRefused; the reason of the signal
   */
  tryOut(target: Target, signal: AbortSignal): AsyncIterable<TriedService>;
}
