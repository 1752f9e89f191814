import { MANUAL_MOVES, type FindingStatus } from '../../../schema/model.js';
import { send } from '../api.js';
import type { Job } from '../jobs.js';
import { keyOf, viewOf, type Target } from './finding.js';

/** What a change of one finding answers, as far as lists show it. */
export interface Changed {
  readonly status: FindingStatus;
  readonly version: number;
  readonly assignee?: string | null;
  readonly due_at?: string | null;
}

/** What is to become of a finding. */
export type Change =
  | { readonly kind: 'status'; readonly status: FindingStatus; readonly note: string }
  | { readonly kind: 'assignee'; readonly assignee: string | null; readonly due_at: string | null; readonly start: boolean };

/** Whether a move can be taken back by hand. */
export const hasWayBack = (from: FindingStatus, to: FindingStatus): boolean => MANUAL_MOVES[to].includes(from);

/** The statuses that all of these may move to. */
export const movesOf = (targets: readonly Pick<Target, 'status'>[]): FindingStatus[] => {
  const [first, ...rest] = targets.map(({ status }) => MANUAL_MOVES[status]);
  return (first ?? []).filter((status) => rest.every((moves) => moves.includes(status)));
};

/** Changes one finding, as it was when it was read: another version by now is refused. @throws Refusal */
export function changeOne(target: Target, change: Change): Promise<Changed> {
  const note = change.kind === 'status' && change.note !== '' ? { note: change.note } : {};
  return change.kind === 'status'
    ? send<Changed>('PATCH', `${viewOf(target)}/status`, { status: change.status, ...note }, target.version)
    : send<Changed>(
        'PATCH',
        `${viewOf(target)}/assignee`,
        { assignee: change.assignee, ...(change.due_at && { due_at: change.due_at }), ...(change.start && { start: true }) },
        target.version,
      );
}

/** What many are chosen by: themselves, or a filter. */
export type Choice = { readonly targets: readonly Target[] } | { readonly filter: Record<string, unknown>; readonly count: number };

export interface BulkResult {
  readonly matched: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly items: readonly {
    /** Null where there is no such finding. */
    readonly engine: string | null;
    readonly finding_id: string;
    readonly outcome: string;
    readonly message: string | null;
  }[];
  readonly job: Job | null;
}

/** Changes many; of more than a thousand a job is made. @throws Refusal */
export function changeMany(choice: Choice, change: Change): Promise<BulkResult> {
  const chosen = 'targets' in choice ? { finding_ids: choice.targets.map(keyOf) } : { filter: choice.filter };
  const done =
    change.kind === 'status'
      ? { status: change.status, ...(change.note !== '' && { note: change.note }) }
      : { assignee: change.assignee, ...(change.due_at && { due_at: change.due_at }), ...(change.start && { status: 'IN_PROGRESS' }) };
  return send<BulkResult>('POST', '/api/v1/findings/bulk-triage', { ...chosen, ...done });
}

/** What takes a change of many back: those that were changed, by the status that each had, where it has a way back; a job and a filter tell neither. */
export function wayBack(choice: Choice, change: Change, { items }: BulkResult): { readonly choice: Choice; readonly change: Change }[] {
  if (!('targets' in choice) || change.kind !== 'status') return [];
  const changed = new Set(
    items.flatMap(({ engine, finding_id, outcome }) => (engine && outcome === 'changed' ? [keyOf({ engine, finding_id })] : [])),
  );
  const told = choice.targets.filter((target) => changed.has(keyOf(target)));
  return [...new Set(told.map(({ status }) => status))]
    .filter((status) => hasWayBack(status, change.status))
    .map((status) => ({
      choice: { targets: told.filter((target) => target.status === status) },
      change: { kind: 'status', status, note: '' },
    }));
}

export const countOf = (choice: Choice): number => ('targets' in choice ? choice.targets.length : choice.count);
