import type { Provider } from '../schema/model.js';

/** A way in that the one who connects has given, opened for one piece of work and dropped after it. */
export interface Connection {
  /** `recorded` is the demo's own: nobody can connect an account by it. */
  readonly method: 'role' | 'workload_identity' | 'secret' | 'recorded';
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

/** An answer of a provider's interface: a record of the format `cloud_api_responses`, which reads and maps it. */
export interface RecordedAnswer {
  /** The call, as that format reads it: `ec2/describe-instances`, with what it asked about behind it where that is one thing. */
  readonly source: string;
  /** Where that is not the whole account. */
  readonly region?: string;
  readonly response?: unknown;
  /** In place of the answer: the code of an error that says that there is none (`NoSuchBucketPolicy`). */
  readonly error?: string;
  /** The part of the account that it tells of: what is asked together, and can be told while another part cannot. */
  readonly part?: string;
}

/** What could not be asked: the run that collects is PARTIAL by it, and resolves nothing of the part that it belongs to. */
export interface NotAnswered {
  readonly source: string;
  readonly region?: string;
  /** What people are told: the permission that is missing, or what the provider answered. It names no secret. */
  readonly not_answered: string;
  /** What would have been told, where that is objects of Kubernetes: rules that look for it beside others then tell nothing. */
  readonly kind?: string;
  readonly part?: string;
}

/** What was not asked, and why that is right: a region that is not enabled, a service that does not know the identity. What is known of its part stays as it is. */
export interface Skipped {
  readonly source: string;
  readonly region?: string;
  /** What people are told. It names no secret. */
  readonly skipped: string;
  /** What would have been told, where that is objects of Kubernetes. */
  readonly kind?: string;
  readonly part?: string;
}

/** The parts that were told to their end, behind all else: what they did not show is no more, whatever other parts were refused (decision 47). */
export interface ToldWhole {
  readonly source: string;
  readonly whole: readonly string[];
}

/** A line of what is collected. */
export type CollectedRecord = RecordedAnswer | NotAnswered | Skipped | ToldWhole;

/** An account of an organization. */
export interface OrganizationAccount {
  readonly account_id: string;
  readonly name: string;
  /** Whether it can be used; what is suspended or closed cannot be connected. */
  readonly isActive: boolean;
  /** The folders that it stands in, the outermost first. */
  readonly path?: readonly string[];
}

/** Asks one provider what there is. Nothing of one target is kept for another. */
export interface Collector {
  /**
   * Tries the connection: who it lets in, and each service by its cheapest call.
   * @throws ConnectionRefused; the reason of the signal
   */
  tryOut(target: Target, signal: AbortSignal): AsyncIterable<TriedService>;

  /**
   * Asks for all that there is in the target's regions and services, page by page. A call that is refused, or fails when it was made again, is told as not
   * answered, and the rest goes on.
   * @throws ConnectionRefused when nothing of it can be asked; the reason of the signal
   */
  collect?(target: Target, signal: AbortSignal): AsyncIterable<CollectedRecord>;
  /**
   * The accounts of the organization that the connection may list.
   * @throws ConnectionRefused, also when it may not; the reason of the signal
   */
  accounts?(target: Target, signal: AbortSignal): AsyncIterable<OrganizationAccount>;
}
