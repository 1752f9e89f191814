import { refusalFor } from '../api.js';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { counted, wordOf } from '../format.js';
import { tell, tellProblem, type Notice } from '../notices.js';
import { AssignDialog } from './assign-dialog.js';
import { ConflictDialog } from './conflict-dialog.js';
import type { Doing } from './finding-panel.js';
import { keyOf, type Target } from './finding.js';
import { StatusDialog } from './status-dialog.js';
import { SuppressDialog } from './suppress-dialog.js';
import { changeMany, changeOne, hasWayBack, wayBack, type BulkResult, type Change, type Choice } from './triage.js';

/** What a list shows otherwise after a change. */
export type Shown = Pick<Target, 'status' | 'version' | 'assignee' | 'due_at'>;

export interface TriageHooks {
  /** Shows something of a finding otherwise, where it is in sight. */
  readonly show: (target: Target, shown: Shown) => void;
  /** One finding was changed, by its key. */
  readonly changed: (key: string) => void;
  /** Many were, or may have been. */
  readonly reload: () => void;
  /** A job does it. */
  readonly follow: (jobId: string) => void;
}

interface Conflict {
  readonly target: Target;
  readonly change: Change;
}

const wanted = (target: Target, change: Change): Shown => ({
  version: target.version,
  status: change.kind === 'status' ? change.status : change.start && target.status === 'OPEN' ? 'IN_PROGRESS' : target.status,
  assignee: change.kind === 'status' ? target.assignee : change.assignee,
  due_at: change.kind === 'status' ? target.due_at : (change.due_at ?? target.due_at),
});

const said = (change: Change): string =>
  change.kind === 'status' ? wordOf(change.status) : change.assignee ? `Assigned to ${change.assignee}` : 'Assigned to nobody';

function tellResult({ changed, unchanged, refused, items }: BulkResult, undo: Notice['action']): void {
  const reasons = [...new Set(items.flatMap(({ outcome, message }) => (outcome === 'refused' && message ? [message] : [])))];
  const rest = [unchanged > 0 && `${unchanged} as they were`, refused > 0 && `${refused} refused: ${reasons.slice(0, 3).join('; ')}`];
  const text = [`${counted(changed, 'finding')} changed`, ...rest].filter(Boolean).join(', ');
  (refused > 0 ? tellProblem : tell)(`${text}.`, undo);
}

/** Triage of one finding and of many: its dialogs, and what becomes of what they ask for. */
export function useTriage({ show, changed, reload, follow }: TriageHooks): {
  begin: (doing: Doing, choice: Choice) => void;
  dialog: ComponentChildren;
} {
  const [open, setOpen] = useState<{ doing: Doing; choice: Choice } | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);

  const run = async (target: Target, change: Change): Promise<void> => {
    // it shows at once, and is taken back where it is refused
    show(target, wanted(target, change));
    try {
      const now = await changeOne(target, change);
      const shown = { ...wanted(target, change), ...now };
      show(target, { status: shown.status, version: shown.version, assignee: shown.assignee, due_at: shown.due_at });
      changed(keyOf(target));
      const back = { ...target, status: now.status, version: now.version };
      const undo =
        change.kind === 'status' && hasWayBack(target.status, now.status)
          ? { label: 'Undo', run: () => void run(back, { kind: 'status', status: target.status, note: '' }) }
          : null;
      tell(`${said(change)}: ${target.title}`, undo);
    } catch (problem) {
      show(target, target);
      const refusal = refusalFor(problem);
      if (refusal.status === 412) setConflict({ target, change });
      else tellProblem(`Not changed: ${refusal.message}.`);
    }
  };

  const submit = (choice: Choice) => async (change: Change) => {
    if ('targets' in choice && choice.targets.length === 1) return void run(choice.targets[0]!, change);
    const result = await changeMany(choice, change);
    if (result.job) follow(result.job.job_id);
    else tellResult(result, undoOf(wayBack(choice, change, result)));
    reload();
  };

  /** The way back of many, as an offer; none where nothing has one. */
  const undoOf = (steps: ReturnType<typeof wayBack>): Notice['action'] => {
    const back = async () => {
      for (const { choice, change } of steps) tellResult(await changeMany(choice, change), null);
    };
    const refused = (problem: unknown) => tellProblem(`Not taken back: ${refusalFor(problem).message}.`);
    return steps.length === 0 ? null : { label: 'Undo', run: () => void back().catch(refused).finally(reload) };
  };

  const close = () => setOpen(null);
  const only = open && 'targets' in open.choice && open.choice.targets.length === 1 ? open.choice.targets[0]! : null;
  const suppressed = (count: number) => {
    tell(`Suppressed ${counted(count, 'finding')}.`);
    if (only) changed(keyOf(only));
    reload();
  };
  return {
    begin: (doing, choice) => setOpen({ doing, choice }),
    dialog: (
      <>
        {open?.doing === 'assign' && <AssignDialog choice={open.choice} close={close} submit={submit(open.choice)} />}
        {open?.doing === 'suppress' && only && <SuppressDialog target={only} close={close} done={suppressed} />}
        {open && (open.doing === 'status' || (open.doing === 'suppress' && !only)) && (
          <StatusDialog
            choice={open.choice}
            first={open.doing === 'suppress' ? 'SUPPRESSED' : undefined}
            close={close}
            submit={submit(open.choice)}
          />
        )}
        {conflict && (
          <ConflictDialog
            {...conflict}
            close={() => setConflict(null)}
            again={(now) => void run(now, conflict.change)}
            keep={(now) => show(conflict.target, now)}
          />
        )}
      </>
    ),
  };
}
