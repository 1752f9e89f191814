import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { send } from './api.js';
import { FormDialog } from './parts/dialog.js';
import { askBy, type Ways } from './proof.js';

/** A proof that a call waits for. */
interface WantedProof {
  readonly ways: Ways;
  /** True once it was given, false where the person leaves it. */
  readonly settle: (isProven: boolean) => void;
}

const wantedProof = signal<WantedProof | null>(null);

askBy(
  (ways) =>
    new Promise((resolve) => {
      const settle = (isProven: boolean) => {
        wantedProof.value = null;
        resolve(isProven);
      };
      wantedProof.value = { ways, settle };
    }),
);

interface Answered {
  readonly status: 'ok' | 'mfa_required';
  readonly methods?: readonly string[];
}

/** Thrown so that the dialog stays and says what is missing. */
class CodeMissing extends Error {}

function ByPassword({ wanted }: { readonly wanted: WantedProof }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [hasCode, setHasCode] = useState(wanted.ways.second_factor);
  const submit = async () => {
    const { status, methods = [] } = await send<Answered>('POST', wanted.ways.url, { password, ...(code && { code: code.trim() }) });
    if (status === 'ok') return wanted.settle(true);
    setHasCode(true);
    throw new CodeMissing(`A code is asked for beside it: ${methods.join(', ')}`);
  };
  return (
    <FormDialog title="Is it you" close={() => wanted.settle(false)} action="Go on" isReady={password !== ''} submit={submit}>
      <p>This change takes a proof of the last 15 minutes of who you are.</p>
      <label>
        Password
        <input
          type="password"
          autocomplete="current-password"
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </label>
      {hasCode && (
        <label>
          Code
          <input inputMode="numeric" autocomplete="one-time-code" value={code} onInput={(event) => setCode(event.currentTarget.value)} />
          <small>Of your authenticator app, a mail or a recovery code. A mail is sent when you go on without one.</small>
        </label>
      )}
    </FormDialog>
  );
}

function AtTheProvider({ wanted }: { readonly wanted: WantedProof }) {
  return (
    <FormDialog
      title="Is it you"
      close={() => wanted.settle(false)}
      action="I have signed in again"
      submit={async () => wanted.settle(true)}
    >
      <p>
        This change takes a proof of the last 15 minutes of who you are.{' '}
        <a href={wanted.ways.url} target="_blank" rel="noopener">
          Sign in again at your identity provider
        </a>
        , in a tab of its own, and come back.
      </p>
    </FormDialog>
  );
}

/** Asks who it is, where a call waits for that. */
export function ProofDialog() {
  const wanted = wantedProof.value;
  if (!wanted) return null;
  return wanted.ways.method === 'password' ? <ByPassword wanted={wanted} /> : <AtTheProvider wanted={wanted} />;
}
