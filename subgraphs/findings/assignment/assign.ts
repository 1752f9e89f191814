import { invalid } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { triageFindings, type Triaged } from '../../../kit/findings/triage/write.js';
import { holderOf } from '../owner.js';
import { assigneeOf } from './people.js';

/** Letters of a note or a comment. */
export const MAX_TEXT = 4_000;

/** What a caller asks for; null takes away, what is left out stays. */
export interface AssignmentInput {
  assignee?: string | null;
  due_at?: Date | null;
  start?: boolean | null;
  note?: string | null;
}

/** @throws PalisadeError VALIDATION_ERROR for a note that is too long */
export function checkNote(note: string | null | undefined): string | null {
  if (note && note.length > MAX_TEXT) throw invalid([{ path: 'note', message: `must have at most ${MAX_TEXT} characters` }]);
  return note || null;
}

/**
 * Assigns a finding and sets its due date.
 * @throws PalisadeError NOT_FOUND, PRECONDITION_FAILED, CONFLICT, VALIDATION_ERROR
 */
export async function assign(context: EngineContext, segment: string, id: string, input: AssignmentInput, version: number | null) {
  const { auth, services } = context;
  const facts = await holderOf(context, segment, id);
  const { assignee, due_at } = input;
  const asked = {
    ...(assignee !== undefined && { assignee: assignee && (await assigneeOf(context, [facts], assignee)) }),
    ...(due_at !== undefined && { due_at }),
    start: input.start ?? false,
    note: checkNote(input.note),
    version,
  };
  const at = services.clock.now();
  const batch = { ids: [id], asked, at, allOrNothing: true };
  const [one] = await context.transaction((transaction) => triageFindings(context, facts, batch, transaction));
  const { before, change } = one as Triaged & { error: null };
  const { status, assignee: now = null, due_at: due = null, version: last } = { ...before, ...change };
  return {
    finding_id: id,
    engine: facts.viewSegment,
    status,
    assignee: now,
    due_at: due,
    changed_by: auth.email,
    changed_at: at,
    version: last,
  };
}
