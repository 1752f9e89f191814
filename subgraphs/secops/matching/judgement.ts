import type { AdvisoriesByPackage } from '../../../feeds/advisories-by-package.js';
import { AdvisoryFindings, discriminatorOf, discriminatorsOf, discriminatorToday } from '../../../feeds/advisory-findings.js';
import { findVulnerable, type VulnerableComponent } from '../../../feeds/vulnerable-components.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingSink, IngestRun } from '../../../kit/engine/finding-sink.js';
import type { RunStart, SeenAsset } from '../../../kit/engine/ingest-input.js';
import { ENDABLE } from '../../../kit/findings/lifecycle.js';
import { ADVISORY_SOURCE, dropUnseen } from '../../../kit/findings/other-sources.js';
import { admitFindings } from '../../../kit/findings/room.js';
import { findingRowId, findings } from '../../../kit/findings/row.js';
import type { Observation, RuleInput } from '../../../schema/observations.js';
import type { ComponentRow, SbomRow } from '../components/records.js';
import { reportedByScanners } from './reported.js';

/** The engine that holds what is found. */
export const OWNER = 'vulnerability';

/** Findings written, or closed, at a time. */
const BATCH = 200;

/** What is read of a component. */
export const MATCHED_FIELDS = ['name', 'version', 'ecosystem', 'purl', 'distribution', 'source_name', 'source_version'] as const;
export type MatchedComponent = Pick<ComponentRow, '_id' | (typeof MATCHED_FIELDS)[number]>;

/** A component and the artifact that it is in. */
export interface PlacedComponent {
  readonly component: MatchedComponent;
  readonly sbom: Pick<SbomRow, 'artifact_id' | 'place' | 'observed_at'>;
}

/**
 * Components held against the advisories of their packages at a moment: what is vulnerable opens, and of what was judged all else that advisories
 * alone told is resolved. Doing it again changes nothing; killed in the middle, the next one does what is left.
 */
export class Judgement {
  /** Findings for which the tenant's plan has no room. */
  leftOut = 0;
  private readonly run: IngestRun;
  private readonly sink: FindingSink;
  private readonly told = new AdvisoryFindings();
  /** When the artifacts were seen; those that are in the inventory; rules that are yet to be stored. */
  private readonly seenAt = new Map<string, Date>();
  private readonly known = new Set<string>();
  private readonly rules = new Map<string, RuleInput>();
  /** Of what was judged, where that is not all: where it is, and by what its findings may be told apart. */
  private readonly judged = new Set<string>();
  private readonly discriminators = new Set<string>();
  /** `_id` of the findings that stay open. */
  private readonly standing = new Set<string>();

  /**
   * @param changed the only findings that may have changed, by rule, where but some components of artifacts are judged: others are left as they are.
   * Without it all components of the artifacts are: what is not among them is gone
   */
  constructor(
    private readonly context: EngineContext,
    { scan_run_id, at }: Pick<RunStart, 'scan_run_id' | 'at'>,
    private readonly advisories: AdvisoriesByPackage,
    private readonly changed?: ReadonlySet<string>,
  ) {
    this.run = { scan_run_id, at, format: ADVISORY_SOURCE };
    this.sink = context.services.ingest.findings(context, OWNER);
  }

  /** Judges components, some hundreds at a time. */
  async judge(placed: readonly PlacedComponent[]): Promise<void> {
    const { signal } = this.context;
    const artifacts = new Map(placed.map(({ component, sbom }) => [component, sbom]));
    for (const { component, sbom } of placed) {
      this.seenAt.set(sbom.artifact_id, sbom.observed_at);
      if (this.changed === undefined) continue;
      this.judged.add(judgedKey(sbom.artifact_id, discriminatorOf(component)));
      for (const one of discriminatorsOf(component)) this.discriminators.add(one);
    }
    const vulnerable = await findVulnerable(this.advisories, [...artifacts.keys()], signal);
    for (let at = 0; at < vulnerable.length; at += BATCH) {
      signal.throwIfAborted();
      await this.take(vulnerable.slice(at, at + BATCH), artifacts);
    }
  }

  /** Closes what advisories told of the judged components of these artifacts and do not tell any more. */
  async close(artifactIds: readonly string[]): Promise<void> {
    const { database } = this.context.services;
    const isWhole = this.changed === undefined;
    const judged = isWhole ? {} : { discriminator: { $in: [...this.discriminators] } };
    const by = { $or: [{ source: ADVISORY_SOURCE }, { other_sources: ADVISORY_SOURCE }] };
    const open = await this.rows.find(
      { resource_uid: { $in: artifactIds }, ...judged, ...ENDABLE, ...by },
      { fields: ['source', 'resource_uid', 'discriminator'] },
    );
    const gone = open.filter(
      ({ _id, resource_uid, discriminator }) =>
        !this.standing.has(_id) && (isWhole || this.judged.has(judgedKey(resource_uid, discriminatorToday(discriminator)))),
    );
    const [led, beside] = [
      gone.filter(({ source }) => source === ADVISORY_SOURCE),
      gone.filter(({ source }) => source !== ADVISORY_SOURCE),
    ];
    await this.sink.closePassed(
      this.run,
      led.map(({ _id }) => _id),
    );
    for (let at = 0; at < beside.length; at += BATCH) {
      const sightings = { source: ADVISORY_SOURCE, finding: { $in: beside.slice(at, at + BATCH).map(({ _id }) => _id) } };
      await database.transaction((transaction) => dropUnseen(this.own, this.run, sightings, BATCH, transaction));
    }
  }

  private get own() {
    return this.context.services.database.tenant(this.context.auth.tenant_id).engine(OWNER);
  }

  private get rows() {
    return this.own.collection(findings);
  }

  private async take(
    vulnerable: readonly VulnerableComponent<MatchedComponent>[],
    artifacts: ReadonlyMap<MatchedComponent, PlacedComponent['sbom']>,
  ): Promise<void> {
    const { auth } = this.context;
    const told = vulnerable.flatMap((one) => {
      const { artifact_id, place } = artifacts.get(one.component)!;
      return place ? [this.told.of(one, { ...place, resource_uid: artifact_id, artifact: artifact_id })] : [];
    });
    for (const rule of told.flatMap(({ rules }) => rules)) this.rules.set(rule.rule_id, rule);
    const observations = told.flatMap((one) => one.observations);
    const reported = await reportedByScanners(this.own, observations);
    const own = observations.filter((one) => !reported.has(one)).map((one) => ({ told: one, prepared: this.sink.prepare(this.run, one) }));
    const stored = await this.sink.known(own.map(({ prepared }) => prepared));
    for (const { prepared } of own) this.standing.add(stored.get(prepared.id) ?? findingRowId(auth.tenant_id, OWNER, prepared.id));
    const meant = own.filter((one) => this.changed?.has(one.told.rule_id) ?? true);
    const batch = meant.map(({ prepared }) => prepared);
    // what scanners say of a rule stays as it is
    await this.introduce(meant.filter(({ prepared }) => !stored.has(prepared.id)).map((one) => one.told));
    const { admitted, leftOut } = await admitFindings(this.context, this.sink, batch);
    this.leftOut += leftOut;
    if (admitted.length > 0) await this.sink.ingest(this.run, admitted);
  }

  /** Stores what findings refer to and nobody knows yet: their rules, and their artifacts, because they count among those of their assets. */
  private async introduce(observations: readonly Observation[]): Promise<void> {
    const rules = new Map(observations.flatMap(({ rule_id }) => ofMap(this.rules, rule_id)));
    if (rules.size > 0) await this.context.services.ingest.rules(this.context, [...rules.values()]);
    for (const ruleId of rules.keys()) this.rules.delete(ruleId);
    const places = new Map(observations.filter(({ resource_uid }) => !this.known.has(resource_uid)).map((one) => [one.resource_uid, one]));
    if (places.size === 0) return;
    const { services, auth } = this.context;
    const stored = await services.ingest.tagsOf(services, auth.tenant_id, [...places.keys()]);
    const fresh = [...places.values()].filter(({ resource_uid }) => !stored.has(resource_uid));
    if (fresh.length > 0) {
      // a judgement has seen no artifact: what is gone since its bill was made does not come back
      const observed_at = new Date(Math.min(...fresh.map(({ resource_uid }) => this.seenAt.get(resource_uid)!.getTime())));
      await services.ingest.assets(this.context, { ...this.run, observed_at }, fresh.map(assetOf), []);
    }
    for (const artifactId of places.keys()) this.known.add(artifactId);
  }
}

const ofMap = <V>(map: ReadonlyMap<string, V>, key: string): [string, V][] => (map.has(key) ? [[key, map.get(key)!]] : []);
const judgedKey = (artifactId: string, discriminator: string): string => `${artifactId}\n${discriminator}`;

/** The artifact as an asset, where the inventory does not know it. */
const assetOf = ({ resource_uid, resource_type, resource_name, provider, account_id, region }: Observation): SeenAsset => ({
  ...{ resource_uid, resource_type, resource_name, provider, account_id, region },
  configuration: null,
});
