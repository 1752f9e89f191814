import { useState } from 'preact/hooks';
import { send } from '../api.js';
import { CopyButton } from '../parts/copy-button.js';
import { FormDialog } from '../parts/dialog.js';
import { OnceDialog } from '../parts/managed-dialogs.js';
import { tell } from '../notices.js';
import { loadMe, me, type MfaMethod } from '../session.js';

/** What `POST /users/me/mfa` answers. */
interface Enrollment {
  readonly status: 'pending' | 'active' | 'removed';
  readonly secret: string | null;
  readonly otpauth_url: string | null;
  readonly recovery_codes: readonly string[] | null;
}

const WORDS: Readonly<Record<MfaMethod, string>> = { none: 'None', totp: 'An authenticator app', email: 'Codes by e-mail' };
const PATH = '/api/v1/users/me/mfa';

/** Sets up, changes or removes one's own second factor: first what is to be set up, then a code that shows that it works. */
function FactorDialog({
  method,
  close,
  done,
}: {
  readonly method: MfaMethod;
  readonly close: () => void;
  readonly done: (codes: readonly string[]) => void;
}) {
  const [begun, setBegun] = useState<Enrollment | null>(null);
  const [code, setCode] = useState('');
  const [current, setCurrent] = useState('');
  const before = me.value?.mfa ?? 'none';
  // removing one takes a code of it and nothing beside
  const isConfirming = begun !== null || (method === 'none' && before === 'totp');
  const asksForBoth = method !== 'none' && before !== 'none';
  const submit = async () => {
    if (!isConfirming) {
      setBegun(await send<Enrollment>('POST', PATH, { method }));
      return 'stay';
    }
    const { recovery_codes } = await send<Enrollment>('POST', PATH, {
      method,
      code,
      ...(asksForBoth && current && { current_code: current }),
    });
    await loadMe();
    done(recovery_codes ?? []);
    return undefined;
  };
  return (
    <FormDialog
      title={method === 'none' ? 'Remove the second factor' : WORDS[method]}
      close={close}
      action={isConfirming ? 'Confirm' : 'Go on'}
      isReady={!isConfirming || code !== ''}
      submit={submit}
    >
      {begun?.secret && (
        <>
          <p>Enter this in the authenticator app, or open it there:</p>
          <p>
            <code>{begun.secret}</code> <CopyButton text={begun.secret} what="the secret" />
          </p>
          {begun.otpauth_url && (
            <p>
              <a class="outer" href={begun.otpauth_url}>
                {begun.otpauth_url}
              </a>
            </p>
          )}
        </>
      )}
      {!isConfirming && (
        <p>
          {method === 'email' || before === 'email'
            ? `A code is sent to ${me.value?.email}.`
            : 'Your other sessions end when it is in force.'}
        </p>
      )}
      {isConfirming && (
        <label>
          {method === 'none' ? 'A code of the factor that goes' : 'A code of the new factor'}
          <input autocomplete="one-time-code" value={code} onInput={(event) => setCode(event.currentTarget.value)} />
        </label>
      )}
      {isConfirming && asksForBoth && (
        <label>
          A code of the present one, or a recovery code
          <input autocomplete="off" value={current} onInput={(event) => setCurrent(event.currentTarget.value)} />
        </label>
      )}
    </FormDialog>
  );
}

/** One's own second factor. */
export function OwnFactor() {
  const [method, setMethod] = useState<MfaMethod | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const now = me.value?.mfa ?? 'none';
  return (
    <section>
      <h2>Second factor</h2>
      <p>{now === 'none' ? 'None: your password alone lets in.' : `${WORDS[now]}, asked for at each sign-in.`}</p>
      <div class="buttons">
        <button type="button" onClick={() => setMethod('totp')}>
          {now === 'totp' ? 'Set up another app' : 'Set up an authenticator app'}
        </button>
        {now !== 'email' && (
          <button type="button" onClick={() => setMethod('email')}>
            Take codes by e-mail
          </button>
        )}
        {now !== 'none' && (
          <button type="button" onClick={() => setMethod('none')}>
            Remove it
          </button>
        )}
      </div>
      {method && (
        <FactorDialog
          method={method}
          close={() => setMethod(null)}
          done={(shown) => {
            setMethod(null);
            tell(method === 'none' ? 'Removed: the second factor.' : `In force: ${WORDS[method].toLowerCase()}.`);
            if (shown.length > 0) setCodes(shown);
          }}
        />
      )}
      {codes && <OnceDialog text={codes.join('\n')} close={() => setCodes(null)} />}
    </section>
  );
}
