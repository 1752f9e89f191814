import type { TenantDatabase } from '../../store/database.js';
import type { TransactionOf } from '../../store/query.js';
import type { FindingFacts } from '../../engine/finding-facts.js';
import type { EngineServices, IngestTargets } from '../../engine/context.js';
import { CLOSABLE, statusAfterMove } from '../lifecycle.js';
import type { FindingRow } from '../row.js';
import { suppressions, type SuppressionRow } from './records.js';
import { takes, type ScopedFinding, type SuppressionScope, type Tags } from './scope.js';

/** What suppressions look at in a finding, and what they change. */
export type SuppressibleFinding = ScopedFinding & Pick<FindingRow, 'status' | 'version' | 'absent_since' | 'suppressed_by'>;

/** What is asked for tags. */
export type TagServices = Pick<EngineServices, 'database'> & { readonly ingest: Pick<IngestTargets, 'tagsOf' | 'membersOf'> };

/** What becomes of a finding whose suppressions are others now. */
export type SuppressionChange = Partial<
  Pick<FindingRow, 'status' | 'suppressed_by' | 'version' | 'absent_since' | 'resolved_at' | 'resolved_by'>
>;

/** Whether suppressions hold a finding. One that a person has suppressed is theirs. */
export const isHeld = ({ status, suppressed_by }: Pick<SuppressibleFinding, 'status' | 'suppressed_by'>): boolean =>
  status === 'SUPPRESSED' && (suppressed_by?.length ?? 0) > 0;

const NO_TAGS: Tags = {};

/** The tags of resources, where one of some scopes goes by tags; else of none. */
export const tagsWhere = async (
  services: TagServices,
  tenantId: string,
  scopes: readonly Pick<SuppressionScope, 'tag'>[],
  resourceUids: readonly string[],
): Promise<ReadonlyMap<string, Tags>> =>
  scopes.some(({ tag }) => tag.length > 0) ? services.ingest.tagsOf(services, tenantId, [...new Set(resourceUids)]) : new Map();

/**
 * The suppressions of a tenant that are in force at a moment, as far as they take findings of one engine. The definition: a finding that runs
 * or people would have OPEN or IN_PROGRESS is SUPPRESSED as long as one of them takes it, and names all that do; with none left it is OPEN, or
 * RESOLVED where completed runs have not seen it since (decision 41). RESOLVED, FALSE_POSITIVE and what a person has suppressed stay.
 */
export class SuppressionsInForce {
  /** For changes that no suppression has a say in. */
  static readonly NONE = new SuppressionsInForce([], '');

  private tags: ReadonlyMap<string, Tags> = new Map();

  private constructor(
    private readonly rows: readonly SuppressionRow[],
    private readonly segment: string,
  ) {}

  static async read(
    tenant: TenantDatabase,
    { engine, viewSegment }: Pick<FindingFacts, 'engine' | 'viewSegment'>,
    now: Date,
    transaction?: TransactionOf,
  ): Promise<SuppressionsInForce> {
    const active = await tenant.collection(suppressions).find({ state: 'active' }, { sort: { _id: 1 }, transaction });
    const ofEngine = ({ engines, scope, expires_at }: SuppressionRow) =>
      (engines === null || engines.includes(engine)) &&
      (scope.engine.length === 0 || scope.engine.includes(viewSegment)) &&
      (expires_at === null || expires_at > now);
    return new SuppressionsInForce(active.filter(ofEngine), viewSegment);
  }

  /** Looks up the tags of resources, where a suppression goes by tags: findings of others are held against none. */
  async learnTags(services: TagServices, tenantId: string, resourceUids: readonly string[]): Promise<void> {
    this.tags = await tagsWhere(
      services,
      tenantId,
      this.rows.map(({ scope }) => scope),
      resourceUids,
    );
  }

  /** The ids of those that take a finding, in order. */
  taking(finding: ScopedFinding): string[] {
    const tags = this.tags.get(finding.resource_uid) ?? NO_TAGS;
    return this.rows.filter(({ scope }) => takes(scope, this.segment, finding, tags)).map(({ _id }) => _id);
  }

  /** What they change in a finding; null when nothing. @param by who is told as having resolved what is gone */
  change(finding: SuppressibleFinding, at: Date, by: string): SuppressionChange | null {
    const held = isHeld(finding);
    if (!held && !CLOSABLE.includes(finding.status)) return null;
    const taking = this.taking(finding);
    if (taking.length === 0) return held ? released(finding, at, by) : null;
    if (!held) return { status: 'SUPPRESSED', suppressed_by: taking, version: finding.version + 1 };
    return taking.join() === finding.suppressed_by!.join() ? null : { suppressed_by: taking };
  }

  /** Why the suppressions of these ids were made: the reason of the first. */
  reasonOf(ids: readonly string[]): string | null {
    return this.rows.find(({ _id }) => _id === ids[0])?.reason ?? null;
  }
}

function released(finding: SuppressibleFinding, at: Date, by: string): SuppressionChange {
  const status = statusAfterMove(finding, 'OPEN');
  const opened = { status, suppressed_by: null, absent_since: null, version: finding.version + 1 };
  return status === 'RESOLVED' ? { ...opened, resolved_at: at, resolved_by: { actor_email: by } } : opened;
}
