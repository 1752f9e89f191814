import type { Provider, Severity } from '../../../schema/model.js';
import { defineCollection, type RowOf } from '../../store/collection.js';
import { date, flag, list, nullable, number, object, text } from '../../store/fields.js';
import { hasOneOf, takes, type ScopedFinding, type SuppressionScope, type Tags } from '../suppressions/scope.js';
import type { FindingRow } from '../row.js';

/** Which findings a triage rule takes: what a suppression may go by, and three columns more. */
export interface TriageFilter extends SuppressionScope {
  severity: Severity[];
  provider: Provider[];
  resource_type: string[];
}

/** What a filter looks at in a finding. */
export type FilteredFinding = ScopedFinding & Pick<FindingRow, 'severity' | 'provider' | 'resource_type'>;

/** Whether a filter takes a finding of an engine. @param tags those of the finding's resource */
export const filterTakes = (filter: TriageFilter, segment: string, finding: FilteredFinding, tags: Tags): boolean =>
  hasOneOf(filter.severity, finding.severity) &&
  hasOneOf(filter.provider, finding.provider) &&
  hasOneOf(filter.resource_type, finding.resource_type) &&
  takes(filter, segment, finding, tags);

/** Rules that do something to findings as they open, and as they come back. `_id` is `<tenant>|<id>`; they go in the order of ids. */
export const triageRules = defineCollection(
  'triage_rules',
  {
    /** Chosen by the client. */
    id: text,
    name: text,
    filter: object<TriageFilter>(),
    /** The engines that its owner could read when it was set, by name; null when that was every engine. */
    engines: nullable(list(text)),
    /** E-mail address of a member. */
    assignee: nullable(text),
    due_in_days: nullable(number),
    labels: list(text),
    enabled: flag,
    /** Who has set it last: their rights are read again whenever it is applied. */
    owner_id: text,
    created_by: text,
    created_at: date,
    updated_by: text,
    updated_at: date,
  },
  [{ key: { tenant_id: 1, id: 1 } }],
);
export type TriageRuleRow = RowOf<typeof triageRules>;

/** Rules that a tenant may have: every finding that opens is held against each. */
export const MAX_TRIAGE_RULES = 100;

/** What the permission to have triage rules is. */
export const RULES_PERMISSION = 'tenants:write';
