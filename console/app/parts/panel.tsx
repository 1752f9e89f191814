import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PanelProps {
  readonly label: string;
  readonly close: () => void;
  /** Whether the focus goes into it: not where the keyboard goes on in the list beside it. */
  readonly takesFocus?: boolean;
  readonly children: ComponentChildren;
}

/** What is open beside a list; on a phone over it. Its keys are the page's. */
export function Panel({ label, close, takesFocus = false, children }: PanelProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    if (takesFocus) place.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside class="panel" aria-label={label} ref={place} tabIndex={-1}>
      <button type="button" class="quiet close" aria-label={`Close ${label}`} onClick={close}>
        ✕
      </button>
      {children}
    </aside>
  );
}
