import type { FindingStatus } from '../../../schema/model.js';
import { invalid, missingPermission } from '../../../kit/base/errors.js';
import { holds } from '../../../kit/base/auth-context.js';
import { setMembers } from '../../../kit/base/set-members.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import type { FindingFilter } from '../../../kit/findings/filters.js';
import type { Triage } from '../../../kit/findings/triage/decide.js';
import { checkNote } from '../assignment/assign.js';

/** Findings that one call names, or changes itself. */
export const MAX_AT_ONCE = 1_000;

/** Which findings: the filters of lists, and engines by view segment. */
export type BulkFilter = FindingFilter & { readonly engine?: readonly string[] | null };

/** What a client asks for. */
export interface BulkInput {
  finding_ids?: readonly string[] | null;
  filter?: BulkFilter | null;
  status?: FindingStatus | null;
  note?: string | null;
  assignee?: string | null;
  due_at?: Date | null;
  all_or_nothing?: boolean | null;
  dry_run?: boolean | null;
}

/** What is to be done with each finding, the assignee as the client names them. @throws PalisadeError VALIDATION_ERROR */
export function checkTriage({ status, note, assignee, due_at }: BulkInput): Triage {
  const asked: Triage = {
    ...(status != null && { status }),
    ...(assignee !== undefined && { assignee }),
    ...(due_at !== undefined && { due_at }),
    note: checkNote(note),
  };
  if (Object.keys(asked).length === 1 && asked.note === null)
    throw invalid([{ path: 'input', message: 'set at least one of status, note, assignee and due_at' }]);
  return asked;
}

/** @throws PalisadeError VALIDATION_ERROR unless the input has either ids, at most 1,000, or a filter */
export function checkSelection({ finding_ids, filter }: BulkInput): void {
  if ((finding_ids == null) === (filter == null))
    throw invalid([{ path: 'input', message: 'name finding_ids or a filter: one of the two' }]);
  if (finding_ids && finding_ids.length > MAX_AT_ONCE)
    throw invalid([{ path: 'finding_ids', message: `must name at most ${MAX_AT_ONCE} findings` }]);
}

/**
 * The engines whose findings a filter is about, of those that the caller may read, and the filter of each.
 * @throws PalisadeError FORBIDDEN for an engine that it names and the caller may not read; VALIDATION_ERROR for one that there is not
 */
export function checkFilter(
  { auth, services }: EngineContext,
  { engine, ...filter }: BulkFilter,
): { engines: FindingFacts[]; filter: FindingFilter } {
  for (const segment of engine ?? []) {
    const facts = services.findingEngines.find(({ viewSegment }) => viewSegment === segment);
    if (!facts) throw invalid([{ path: 'filter.engine', message: `${segment} is not a view segment` }]);
    if (!holds(auth, facts.permission)) throw missingPermission(facts.permission);
  }
  const engines = services.findingEngines.filter(
    ({ permission, viewSegment }) => holds(auth, permission) && (!engine || engine.includes(viewSegment)),
  );
  return { engines, filter: setMembers(filter) };
}
