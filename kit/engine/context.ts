import type { AuditInput } from '../audit/entry.js';
import type { AuthContext } from '../base/auth-context.js';
import type { Clock } from '../base/clock.js';
import type { AccountPart, Collected } from './account-scans.js';
import type { AnyCollection, CollectionDefinition } from '../store/collection.js';
import type { Config } from '../base/config.js';
import type { EngineCaller } from './caller.js';
import type { ComponentBatch } from './component-batch.js';
import type { Detected, EventBatch } from './event-pack.js';
import type { Database } from '../store/database.js';
import type { AssetProjection } from './projection.js';
import type { FindingFacts } from './finding-facts.js';
import type { FindingSink, IngestRun } from './finding-sink.js';
import type { ExposureSink } from './exposure.js';
import type { RiskContextFinder } from './risk-context.js';
import type { OpenFindingsSink } from './open-findings.js';
import type {
  CoverageGap,
  CoveredPart,
  EvaluatedFinder,
  ImportSettings,
  RunStart,
  SeenAsset,
  TagFinder,
  WholeParts,
} from './ingest-input.js';
import type { ResourceResults, ResultScope } from './rule-results.js';
import type { TenantRules } from './tenant-rules.js';
import type { Provider } from '../../schema/model.js';
import type { Role } from '../../schema/permissions.js';
import type { EdgeInput, IndicatorInput, LastAccessInput, Observation, RuleInput } from '../../schema/observations.js';
import type { ArtifactInput } from '../../schema/artifacts.js';
import type { JobQueue } from '../work/jobs.js';
import type { Logger } from '../base/logger.js';
import type { Mailer } from '../work/mail.js';
import type { MasterKey } from '../keys/master-key.js';
import type { ObjectStore } from '../store/object-store.js';
import type { Outbound } from '../outbound/outbound.js';
import type { RetentionRule } from './retention-rule.js';
import type { ThreadPool } from '../work/thread-pool.js';
import type { TenantCollection } from '../store/tenant-collection.js';
import type { TransactionOf } from '../store/query.js';

/** What a process gives to all engines in it; made once at start. */
export interface EngineServices {
  readonly config: Config;
  /** The time of this process: of what happens and what was signed. */
  readonly clock: Clock;
  /** The time of the store, the same in every process: of leases, and of when work is due. */
  readonly storeClock: Clock;
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
  /** Threads for work that a tenant can make large: the reading of reports, the evaluation of runs, questions about networks, access and entitlements, edges of access, attack paths and the networks that they lead through, and trials of rules. */
  readonly threads: Readonly<
    Record<'reports' | 'evaluations' | 'networks' | 'access' | 'edges' | 'entitlements' | 'paths' | 'neighbours' | 'trials', ThreadPool>
  >;
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

/** What came of holding components against advisories. */
export interface Matched {
  /** The engines that hold findings of it. */
  readonly engines: readonly string[];
  /** Findings that were left out, because the tenant's plan has no room for them. */
  readonly leftOut: number;
}

/** How connected accounts are scanned. Credentials stay with the engine that keeps them. */
export interface AccountScans {
  /**
   * The provider of an account that can be scanned.
   * @throws PalisadeError VALIDATION_ERROR when the tenant has none such connected, nobody can ask it, or the part lies outside of what it is scanned for
   */
  scannable(context: EngineContext, part: AccountPart): Promise<Provider>;
  /**
   * Begins to ask an account for all that there is in a part of it, with the rights that the caller has now.
   * @throws AccountRefused; JobFailure when the caller may not scan any more
   */
  collect(context: EngineContext, part: AccountPart, signal: AbortSignal): Promise<Collected>;
  /** Takes note that a run has asked it. */
  scanned(context: EngineContext, accountId: string, at: Date, transaction: TransactionOf): Promise<void>;
}

/** What engines take from a scan run beside findings, and tell it; what they take is idempotent. */
export interface IngestSinks {
  /** Takes rules of a report in. */
  rules(context: EngineContext, rules: readonly RuleInput[]): Promise<void>;
  /** Takes assets and edges of a run in. @returns how many new assets were left out, because the tenant's plan has no room for them */
  assets(context: EngineContext, run: RunStart, assets: readonly SeenAsset[], edges: readonly EdgeInput[]): Promise<number>;
  /** Takes note of what observations of a run show beside being findings; those findings are stored by the engines that own them. */
  observations(context: EngineContext, run: IngestRun, observations: readonly Observation[]): Promise<void>;
  /** Takes events of a run in, each once. @returns how many new ones were left out, because the tenant's plan has no room for them */
  events(context: EngineContext, run: RunStart, batch: EventBatch): Promise<number>;
  /** Takes indicators in, of each id the latest. @returns how many values were left out, because the tenant's plan has no room for them */
  indicators(context: EngineContext, run: RunStart, indicators: readonly IndicatorInput[]): Promise<number>;
  /** What rules have seen in the events of a run, and indicators in what it or earlier ones brought, as findings, each with its rule; once all that it brought is stored. */
  detected(context: EngineContext, run: RunStart): AsyncIterable<Detected>;
  /** Takes in what a provider reports of when an identity last used what; of two reports the later stays. */
  lastAccess(context: EngineContext, report: LastAccessInput): Promise<void>;
  /** Takes components of an artifact in, unless a newer run has told of it. @returns how many new ones were left out, because the tenant's plan has no room for them */
  components(context: EngineContext, run: RunStart, batch: ComponentBatch): Promise<number>;
  /** Takes note that a completed run has told all components of an artifact: those that it did not show are gone. Idempotent, and may be begun again. */
  artifactTold(context: EngineContext, run: RunStart, artifact: ArtifactInput): Promise<void>;
  /** Holds the components of artifacts, as they are stored, against the advisories of their packages. Idempotent, and may be begun again. */
  matched(context: EngineContext, run: RunStart, artifactIds: readonly string[]): Promise<Matched>;
  /**
   * Takes note that a run has told all of an estate, or of some of its parts: what it did not show of that is gone. Idempotent, and may be begun again.
   */
  unseen(context: EngineContext, run: RunStart, estate: string, parts: WholeParts): Promise<void>;
  /** Takes note that resources are no more. Idempotent. */
  gone(context: EngineContext, run: RunStart, resourceUids: readonly string[]): Promise<void>;
  /** Takes note of where a run got no answer; what was a gap before, and was asked for again, is none any more. Idempotent. */
  notCovered(context: EngineContext, run: RunStart, part: CoveredPart, gaps: readonly CoverageGap[]): Promise<void>;
  /** Takes the results of posture rules on resources in. */
  results(context: EngineContext, run: RunStart, results: readonly ResourceResults[]): Promise<void>;
  /** Removes the results of resources of a scope that a completed run, which covers it, did not evaluate. */
  forgetResults(context: EngineContext, run: RunStart, scope: ResultScope): Promise<void>;
  /** Which of these resources of a tenant have results of rules. */
  evaluated: EvaluatedFinder;
  /** The resources that have one of these tags, each `name` or `name=value`; some at a time, in no particular order. */
  tagged(services: Pick<EngineServices, 'database'>, tenantId: string, tags: readonly string[]): AsyncIterable<string[]>;
  /** The tags of resources, as the inventory knows them. */
  tagsOf(services: Pick<EngineServices, 'database'>, ...asked: Parameters<TagFinder>): ReturnType<TagFinder>;
  /** What resources add to the risk of their findings, as the inventory knows it. */
  riskContextsOf: RiskContextFinder;
  /** The roles of members of a tenant who can sign in, by their ids and addresses; of those asked for who are none, nothing. */
  membersOf(services: Pick<EngineServices, 'database'>, tenantId: string, named: readonly string[]): Promise<ReadonlyMap<string, Role>>;
  /** Takes what becomes of the open findings of resources in. */
  openFindings: OpenFindingsSink;
  /** Takes what the internet reaches of resources in. */
  exposures: ExposureSink;
  /** Refuses a run when the tenant's plan has no room for what it may bring. @throws PalisadeError VALIDATION_ERROR */
  assertRoom(context: EngineContext): Promise<void>;
  /** The tenant's own rules and settings, which the evaluation of a run goes by. */
  tenantRules(context: EngineContext): Promise<TenantRules>;
  /** How often the tenant has changed what raises findings. */
  rulesRevision(context: EngineContext): Promise<number>;
  /** How connected accounts are scanned. */
  accountScans: AccountScans;
  /** What the tenant has set for its imports. @throws when no engine of the list knows it */
  importSettings(services: EngineServices, tenantId: string): Promise<ImportSettings>;
  /** Derives what follows from a run's results, once the run has ended. */
  derive(context: EngineContext, run: RunStart): Promise<void>;
  /** Derives what follows from findings and inventory together, once any run has ended and all else is derived. */
  conclude(context: EngineContext, run: RunStart): Promise<void>;
  /** Derives what follows from the events of a run, and from its reports of last access, once the run has ended. */
  deriveFromEvents(context: EngineContext, run: RunStart): Promise<void>;
  /** Derives anew what time alone changes, once a day. */
  daily(context: EngineContext, run: RunStart): Promise<void>;
}

/** Where a scan run delivers what it read: made of the list, so that the pipeline names no engine. */
export interface IngestTargets extends IngestSinks {
  /** The views of the inventory that engines keep, to be written with the assets. */
  readonly projections: readonly AssetProjection[];
  /** The engines that take observations. */
  readonly findingEngines: ReadonlySet<string>;
  /** @throws for an engine that is not listed */
  findings(context: EngineContext, engine: string): FindingSink;
  /** @returns why the engine refuses the evidence, or null. @throws for an engine that is not listed */
  refusal(engine: string, evidence: Record<string, unknown>): string | null;
}
