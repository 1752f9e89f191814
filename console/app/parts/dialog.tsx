import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { refusalFor, type Refusal } from '../api.js';
import { Refused } from './refused.js';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** A dialog of the browser: it keeps the focus, closes by Esc, and gives the focus back to where it came from. */
export function Dialog({ title, close, children }: DialogProps) {
  const place = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const before = document.activeElement;
    place.current?.showModal();
    // the first thing to fill in, rather than the way out
    place.current?.querySelector<HTMLElement>('form :is(input, textarea, select)')?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={place} aria-labelledby={name} onClose={close}>
      <header>
        <h2 id={name}>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={() => place.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface FormDialogProps extends DialogProps {
  /** The verb on the button. */
  readonly action: string;
  readonly isReady?: boolean;
  /** Does it, and closes the dialog where more is not to follow (`stay`). What is thrown is shown, and the dialog stays. */
  readonly submit: () => Promise<'stay' | void>;
}

/** A form in a dialog. */
export function FormDialog({ title, close, action, isReady = true, submit, children }: FormDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Refusal | null>(null);
  const run = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      if ((await submit()) === 'stay') setBusy(false);
      else close();
    } catch (problem) {
      setError(refusalFor(problem));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      <form class="form" onSubmit={(event) => void run(event)}>
        {children}
        {error && <Refused error={error} />}
        <footer>
          <button type="submit" class="main" disabled={isBusy || !isReady}>
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
