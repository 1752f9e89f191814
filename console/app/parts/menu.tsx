import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface MenuProps {
  readonly label: string;
  /** How many of its values are set. */
  readonly count?: number;
  readonly children: ComponentChildren;
}

const GAP = 4;

/** What opens below a button, and closes by Esc or by a click elsewhere: a popover of the browser. */
export function Menu({ label, count = 0, children }: MenuProps) {
  const name = useId();
  const button = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const put = () => {
    const at = button.current!.getBoundingClientRect();
    const { style, offsetWidth } = place.current!;
    style.top = `${at.bottom + GAP}px`;
    style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - offsetWidth - GAP))}px`;
    style.maxHeight = `${Math.max(160, innerHeight - at.bottom - 3 * GAP)}px`;
  };
  return (
    <>
      <button type="button" ref={button} popovertarget={name} class={count > 0 ? 'menu set' : 'menu'}>
        {label}
        {count > 0 && <b> {count}</b>} <i aria-hidden="true">▾</i>
      </button>
      <div id={name} popover="auto" ref={place} class="menu-list" role="group" aria-label={label} onToggle={put}>
        {children}
      </div>
    </>
  );
}
