import { useState } from 'preact/hooks';
import type { Role } from '../../../schema/permissions.js';
import { send } from '../api.js';
import { wordOf } from '../format.js';
import { Dialog, FormDialog } from '../parts/dialog.js';
import { me } from '../session.js';
import { grantable } from './grantable.js';

interface Invited {
  readonly email: string;
  readonly expires_at: string;
  /** Shown once. */
  readonly link: string | null;
}

function Form({ close, done }: { readonly close: () => void; readonly done: (invited: Invited) => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const submit = async () => done(await send<Invited>('POST', '/api/v1/invites', { email: email.trim(), role }));
  return (
    <FormDialog title="Invite a colleague" close={close} action="Invite" isReady={email.includes('@')} submit={submit}>
      <label>
        E-mail address
        <input type="email" value={email} onInput={(event) => setEmail(event.currentTarget.value)} />
      </label>
      <label>
        Role
        <select value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
          {grantable(me.value?.role ?? 'viewer').map((one) => (
            <option key={one} value={one}>
              {wordOf(one)}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}

/** Invites somebody, and shows the link of the invitation this once. */
export function Invite({ invited }: { readonly invited: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<Invited | null>(null);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Invite a colleague
      </button>
      {isOpen && (
        <Form
          close={() => setOpen(false)}
          done={(invite) => {
            setMade(invite);
            invited();
          }}
        />
      )}
      {made && (
        <Dialog title={`${made.email} is invited`} close={() => setMade(null)}>
          {made.link ? (
            <>
              <p>The link is shown this once, and is good until {made.expires_at}. Send it to them yourself where no mail is set up.</p>
              <pre tabIndex={0}>{made.link}</pre>
            </>
          ) : (
            <p>The link was sent to them, and is good until {made.expires_at}.</p>
          )}
        </Dialog>
      )}
    </>
  );
}
