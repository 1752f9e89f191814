import type { FindingFacts } from '../../engine/finding-facts.js';
import type { TransactionOf } from '../../store/query.js';
import type { Move } from '../move-entries.js';
import type { FindingRow } from '../row.js';
import { tagsWhere, type TagServices } from '../suppressions/in-force.js';
import type { Tags } from '../suppressions/scope.js';
import { mayRead, pausedBecause, peopleOf } from './owner.js';
import { filterTakes, triageRules, type FilteredFinding, type TriageRuleRow } from './records.js';

const DAY = 86_400_000;
const BY_RULE = 'triage-rule:';

/** What triage rules look at in a finding. */
export type TriageableFinding = FilteredFinding & Pick<FindingRow, 'assignee' | 'due_set_by' | 'labels'>;

/** What they change, and what the audit log tells of it. */
interface Triaging {
  readonly change: Partial<Pick<FindingRow, 'assignee' | 'due_at' | 'due_set_by' | 'labels'>>;
  readonly move: Move;
}

/** Whether a rule has set when a finding is due: a person's date it leaves alone. */
export const isDatedByRule = ({ due_set_by }: Pick<FindingRow, 'due_set_by'>): boolean => due_set_by?.startsWith(BY_RULE) ?? false;

const NO_TAGS: Tags = {};

/** The triage rules of a tenant that are in force, as far as they take findings of one engine, with the rights that their owners have now (decision 58). */
export class TriageRulesInForce {
  /** For changes that no rule has a say in. */
  static readonly NONE = new TriageRulesInForce([], '', new Map(), () => false);

  private constructor(
    private readonly rules: readonly TriageRuleRow[],
    private readonly segment: string,
    private readonly tags: ReadonlyMap<string, Tags>,
    /** Whether a person may read findings of the engine. */
    private readonly reads: (named: string) => boolean,
  ) {}

  /** @param resourceUids those of the findings that are going to be triaged */
  static async read(
    services: TagServices,
    tenantId: string,
    { engine, viewSegment, permission }: Pick<FindingFacts, 'engine' | 'viewSegment' | 'permission'>,
    resourceUids: readonly string[],
    transaction: TransactionOf,
  ): Promise<TriageRulesInForce> {
    const rows = await services.database
      .tenant(tenantId)
      .collection(triageRules)
      .find({}, { sort: { id: 1 }, transaction });
    const ofEngine = rows.filter(
      ({ enabled, engines, filter }) =>
        enabled && (engines === null || engines.includes(engine)) && (filter.engine.length === 0 || filter.engine.includes(viewSegment)),
    );
    if (ofEngine.length === 0) return TriageRulesInForce.NONE;
    const members = await services.ingest.membersOf(services, tenantId, peopleOf(ofEngine));
    const inForce = ofEngine.filter((rule) => pausedBecause(rule, members) === null && mayRead(members, rule.owner_id, permission));
    const tags = await tagsWhere(
      services,
      tenantId,
      inForce.map(({ filter }) => filter),
      resourceUids,
    );
    return new TriageRulesInForce(inForce, viewSegment, tags, (named) => mayRead(members, named, permission));
  }

  /**
   * What they make of a finding that opens or comes back: the first that names somebody assigns it, where nobody works on it; the first that sets a
   * date does, where no person has; labels are those of all.
   * @param since when it opened
   */
  triage(finding: TriageableFinding, since: Date): Triaging | null {
    const tags = this.tags.get(finding.resource_uid) ?? NO_TAGS;
    const taking = this.rules.filter(({ filter }) => filterTakes(filter, this.segment, finding, tags));
    const assigning = finding.assignee ? undefined : taking.find(({ assignee }) => assignee !== null && this.reads(assignee));
    const dating = finding.due_set_by && !isDatedByRule(finding) ? undefined : taking.find(({ due_in_days }) => due_in_days !== null);
    const had = finding.labels ?? [];
    const labels = [...new Set([...had, ...taking.flatMap((rule) => rule.labels)])];
    const change = {
      ...(assigning && { assignee: assigning.assignee }),
      ...(dating && { due_at: new Date(since.getTime() + dating.due_in_days! * DAY), due_set_by: `${BY_RULE}${dating.id}` }),
      ...(labels.length > had.length && { labels }),
    };
    if (Object.keys(change).length === 0) return null;
    const { due_set_by: _by, ...told } = change;
    const detail = { note: null, ...told, triage_rules: taking.map(({ id }) => id) };
    return { change, move: { action: 'finding.assign', from: null, to: null, detail } };
  }
}
