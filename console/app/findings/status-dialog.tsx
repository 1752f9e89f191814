import { useState } from 'preact/hooks';
import { FINDING_STATUSES, type FindingStatus } from '../../../schema/model.js';
import { counted, wordOf } from '../format.js';
import { FormDialog } from '../parts/dialog.js';
import { StateMark } from '../parts/text.js';
import { countOf, movesOf, type Change, type Choice } from './triage.js';

interface StatusDialogProps {
  readonly choice: Choice;
  /** The status that it begins with. */
  readonly first?: FindingStatus;
  readonly close: () => void;
  readonly submit: (change: Change) => Promise<void>;
}

/** Asks for a new status and why. */
export function StatusDialog({ choice, first, close, submit }: StatusDialogProps) {
  const count = countOf(choice);
  const shared = 'targets' in choice ? movesOf(choice.targets) : [];
  // where they have no move in common, each is told by itself whether it could be moved
  const moves = shared.length > 0 ? shared : FINDING_STATUSES;
  const [status, setStatus] = useState<FindingStatus>(first && moves.includes(first) ? first : moves[0]!);
  const [note, setNote] = useState('');
  const only = 'targets' in choice && count === 1 ? choice.targets[0]! : null;
  return (
    <FormDialog
      title={only ? 'Set the status' : `Set the status of ${counted(count, 'finding')}`}
      close={close}
      action={`${wordOf(status)}: ${only ? 'set it' : `set ${counted(count, 'finding')}`}`}
      submit={() => submit({ kind: 'status', status, note: note.trim() })}
    >
      {only && (
        <p>
          {only.title} <br />
          Now <StateMark state={only.status} />
        </p>
      )}
      <fieldset>
        <legend>Status</legend>
        {moves.map((move) => (
          <label key={move} class="choice">
            <input type="radio" name="status" checked={status === move} onChange={() => setStatus(move)} />
            <StateMark state={move} />
          </label>
        ))}
      </fieldset>
      <label>
        Why
        <textarea rows={3} maxLength={4_000} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
        <small>Kept in the audit log and in the timeline.</small>
      </label>
    </FormDialog>
  );
}
