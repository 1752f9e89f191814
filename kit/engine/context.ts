import type { AuditInput } from '../audit/audit.js';
import type { AuthContext } from '../base/auth-context.js';
import type { Clock } from '../base/clock.js';
import type { AnyCollection, CollectionDefinition } from '../store/collection.js';
import type { Config } from '../base/config.js';
import type { EngineCaller } from './caller.js';
import type { Database } from '../store/database.js';
import type { FindingFacts } from './finding-facts.js';
import type { IngestTargets } from './ingest.js';
import type { JobQueue } from '../work/jobs.js';
import type { Logger } from '../base/logger.js';
import type { Mailer } from '../work/mail.js';
import type { MasterKey } from '../keys/master-key.js';
import type { ObjectStore } from '../store/object-store.js';
import type { Outbound } from '../outbound/outbound.js';
import type { RetentionRule } from './retention.js';
import type { ThreadPool } from '../work/thread-pool.js';
import type { TenantCollection, TransactionOf } from '../store/tenant-collection.js';

/** What a process gives to all engines in it; made once at start. */
export interface EngineServices {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly objects: ObjectStore;
  readonly jobs: JobQueue;
  readonly mailer: Mailer;
  /** The way to addresses that tenants have entered. */
  readonly outbound: Outbound;
  readonly ingest: IngestTargets;
  /** The finding engines of the list, in its order. */
  readonly findingEngines: readonly FindingFacts[];
  /** Engine of the list -> what each of its queries asks of its caller. */
  readonly queryRequirements: ReadonlyMap<string, readonly string[]>;
  /** Every collection of the deployment: what a tenant has rows in. */
  readonly collections: readonly AnyCollection[];
  /** What is kept for how long, of all engines. */
  readonly retention: readonly RetentionRule[];
  readonly caller: EngineCaller;
  /** Threads for work that a tenant can make large: the evaluation of runs, one each, and trials of rules. */
  readonly threads: { readonly evaluations: ThreadPool; readonly trials: ThreadPool };
}

/** What a resolver gets: the caller, the caller's tenant's data, and the services. Made per request and engine. */
export interface EngineContext {
  readonly engine: string;
  /** Coordinate of the root field that runs, for example `Query.encryption_keys`; undefined in work that nobody called for. */
  readonly field: string | undefined;
  readonly auth: AuthContext;
  readonly services: EngineServices;
  /** Aborted when the time budget of the call is spent or the client is gone. */
  readonly signal: AbortSignal;
  /** The rows of the caller's tenant, and of no other; in a collection that engines share, those of this engine alone. */
  collection<T extends object>(definition: CollectionDefinition<T>): TenantCollection<T>;
  /** Runs `work` in one transaction; what it writes, with its audit entries, happens wholly or not at all. */
  transaction<R>(work: (transaction: TransactionOf) => Promise<R>): Promise<R>;
  /** Adds an entry to the tenant's audit log within `transaction`. What the caller did carries the caller's role and address, unless it says otherwise. */
  audit(transaction: TransactionOf, entry: AuditInput): Promise<void>;
}
