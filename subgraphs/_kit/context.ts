import type { AuditInput } from './audit.js';
import type { AuthContext } from './auth-context.js';
import type { Clock } from './clock.js';
import type { CollectionDefinition } from './collection.js';
import type { Config } from './config.js';
import type { EngineCaller } from './engine-caller.js';
import type { Database } from './database.js';
import type { FindingFacts } from './finding-facts.js';
import type { IngestTargets } from './ingest.js';
import type { JobQueue } from './jobs.js';
import type { Logger } from './logger.js';
import type { Mailer } from './mail.js';
import type { MasterKey } from './master-key.js';
import type { ObjectStore } from './object-store.js';
import type { Outbound } from './outbound.js';
import type { TenantCollection, TransactionOf } from './tenant-collection.js';

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
  readonly caller: EngineCaller;
}

/** What a resolver gets: the caller, the caller's tenant's data, and the services. Made per request and engine. */
export interface EngineContext {
  readonly engine: string;
  readonly auth: AuthContext;
  readonly services: EngineServices;
  /** Aborted when the time budget of the call is spent or the client is gone. */
  readonly signal: AbortSignal;
  /** The rows of the caller's tenant, and of no other. */
  collection<T extends object>(definition: CollectionDefinition<T>): TenantCollection<T>;
  /** Runs `work` in one transaction; what it writes, with its audit entries, happens wholly or not at all. */
  transaction<R>(work: (transaction: TransactionOf) => Promise<R>): Promise<R>;
  /** Adds an entry to the tenant's audit log within `transaction`. What the caller did carries the caller's role and address, unless it says otherwise. */
  audit(transaction: TransactionOf, entry: AuditInput): Promise<void>;
}
