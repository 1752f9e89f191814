import type { FindingStatus } from '../../../schema/model.js';
import { conflict, notFound, preconditionFailed } from '../../base/errors.js';
import { assertMove, CLOSABLE, statusAfterMove } from '../lifecycle.js';
import { MERGE_FIELDS } from '../merge.js';
import type { Move } from '../move-entries.js';
import type { FindingRow } from '../row.js';
import type { Policies } from '../policies.js';

/** What a person asks of findings; what is left out stays. */
export interface Triage {
  readonly status?: FindingStatus;
  /** Why; kept in the audit log. */
  readonly note?: string | null;
  /** E-mail address of a member of the tenant; null for nobody. */
  readonly assignee?: string | null;
  readonly due_at?: Date | null;
  /** Moves what is OPEN to IN_PROGRESS. */
  readonly start?: boolean;
  /** The version that the caller has seen; any when null or absent. */
  readonly version?: number | null;
}

/** What triage reads of a stored finding. */
export const TRIAGE_FIELDS = MERGE_FIELDS;
export type TriagedFinding = Pick<FindingRow, '_id' | (typeof TRIAGE_FIELDS)[number]>;

/** What triage makes of a finding; `change` is empty where it is so already. */
export interface Decision {
  readonly change: Partial<FindingRow>;
  /** What the audit log tells of it; null where there is nothing to tell. */
  readonly move: Move | null;
}

/**
 * What a person's triage makes of one finding (decisions 17, 41).
 * @throws PalisadeError NOT_FOUND without a finding; PRECONDITION_FAILED for another version; VALIDATION_ERROR for a move that the lifecycle
 *   forbids; CONFLICT for one that suppressions in force would undo
 */
export function decide(
  before: TriagedFinding | undefined,
  asked: Triage,
  by: Policies & { readonly actor: string; readonly at: Date },
): Decision {
  if (!before) throw notFound('Finding');
  if (asked.version != null && asked.version !== before.version) throw preconditionFailed(`The finding has version ${before.version}`);
  const wanted = asked.status ?? (asked.start && before.status === 'OPEN' ? 'IN_PROGRESS' : undefined);
  const moved = wanted === undefined ? {} : movedTo(before, wanted, by);
  const assigned = assignment(before, asked, by);
  const move = moveOf(before, asked, moved.status, assigned);
  const isChanged = moved.status !== undefined || Object.keys(assigned).length > 0;
  return { change: isChanged ? { ...moved, ...assigned, version: before.version + 1 } : {}, move };
}

function movedTo(
  before: TriagedFinding,
  asked: FindingStatus,
  { actor, at, suppressing }: Parameters<typeof decide>[2],
): Partial<FindingRow> & { status?: FindingStatus } {
  assertMove(before.status, asked);
  const taking = CLOSABLE.includes(asked) ? suppressing.taking(before) : [];
  if (taking.length > 0) throw conflict('Suppressions in force take this finding: change or lift them', { suppressed_by: taking });
  const status = statusAfterMove(before, asked);
  const resolved = status === 'RESOLVED';
  return {
    status,
    absent_since: null,
    suppressed_by: null,
    resolved_at: resolved ? at : null,
    resolved_by: resolved ? { actor_email: actor } : null,
    // a run that observed before a person resolved it does not reopen it
    ...(resolved && at > before.touched_at && { touched_at: at }),
  };
}

function assignment(
  before: TriagedFinding,
  { assignee, due_at }: Triage,
  { actor, dueDates }: Parameters<typeof decide>[2],
): Partial<FindingRow> {
  const isOther = due_at !== undefined && (due_at === null ? before.due_set_by != null : due_at.getTime() !== before.due_at?.getTime());
  return {
    ...(assignee !== undefined && assignee !== (before.assignee ?? null) && { assignee }),
    // without a person's date the policy's holds again
    ...(isOther && { due_at: due_at ?? dueDates.of(before), due_set_by: due_at && actor }),
  };
}

/** One entry a finding, whatever was asked. */
function moveOf(
  { status: from }: TriagedFinding,
  { note = null }: Triage,
  to: FindingStatus | undefined,
  assigned: Partial<FindingRow>,
): Move | null {
  const { assignee, due_at } = assigned;
  const detail = { note, ...(assignee !== undefined && { assignee }), ...(due_at !== undefined && { due_at }) };
  if (to !== undefined) return { action: to === 'SUPPRESSED' ? 'finding.suppress' : 'finding.status', from, to, detail };
  if (Object.keys(assigned).length > 0) return { action: 'finding.assign', from: null, to: null, detail };
  return note === null ? null : { action: 'finding.comment', from: null, to: null, detail };
}
