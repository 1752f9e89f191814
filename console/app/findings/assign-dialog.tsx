import { useState } from 'preact/hooks';
import { counted } from '../format.js';
import { FormDialog } from '../parts/dialog.js';
import { can, me } from '../session.js';
import { useAsk } from '../use-ask.js';
import type { Page } from '../paged-list.js';
import { countOf, type Change, type Choice } from './triage.js';

interface AssignDialogProps {
  readonly choice: Choice;
  readonly close: () => void;
  readonly submit: (change: Change) => Promise<void>;
}

/** Asks who works on it, and until when. */
export function AssignDialog({ choice, close, submit }: AssignDialogProps) {
  const only = 'targets' in choice && choice.targets.length === 1 ? choice.targets[0]! : null;
  const [assignee, setAssignee] = useState(only?.assignee ?? me.value?.email ?? '');
  const dueBefore = only?.due_at?.slice(0, 10) ?? '';
  const [due, setDue] = useState(dueBefore);
  const [start, setStart] = useState(false);
  const users = useAsk<Page<{ email: string; name: string }>>(can('users:read') ? '/api/v1/users?page_size=200' : null);
  // a date that nobody changed is not sent: the time of day of an SLA would go with it
  const due_at = due !== '' && due !== dueBefore ? `${due}T00:00:00.000Z` : null;
  const change: Change = { kind: 'assignee', assignee: assignee.trim() || null, due_at, start };
  const what = only ? 'it' : counted(countOf(choice), 'finding');
  return (
    <FormDialog
      title={only ? 'Assign' : `Assign ${what}`}
      close={close}
      action={assignee.trim() ? `Assign ${what}` : `Unassign ${what}`}
      submit={() => submit(change)}
    >
      {only && <p>{only.title}</p>}
      <label>
        Who works on it
        <input type="email" list="people" value={assignee} onInput={(event) => setAssignee(event.currentTarget.value)} />
        <small>A member of the tenant who may read it, by e-mail address; empty for nobody.</small>
      </label>
      <datalist id="people">
        {users.body?.items.map(({ email, name }) => (
          <option key={email} value={email}>
            {name}
          </option>
        ))}
      </datalist>
      <label>
        Until
        <input type="date" value={due} onInput={(event) => setDue(event.currentTarget.value)} />
        <small>Empty leaves the date as it is.</small>
      </label>
      {only?.status === 'OPEN' && (
        <label class="choice">
          <input type="checkbox" checked={start} onChange={() => setStart(!start)} />
          Move it to In progress
        </label>
      )}
    </FormDialog>
  );
}
