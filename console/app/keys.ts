import { useEffect, useRef } from 'preact/hooks';

/** A key, what it does in words, and the doing. */
export interface Key {
  readonly key: string;
  readonly words: string;
  readonly run: () => void;
}

interface Layer {
  readonly depth: number;
  keys: readonly Key[];
}

const layers: Layer[] = [];

/** What the keyboard does now, innermost first: that layer is asked first. */
export function keysNow(): Key[] {
  const seen = new Set<string>();
  return [...layers]
    .sort((one, other) => other.depth - one.depth)
    .flatMap(({ keys }) => keys)
    .filter(({ key }) => !seen.has(key) && seen.add(key));
}

const isTyping = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !target.matches('[type=checkbox]');

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  // a dialog and an open menu have the keyboard for themselves: Esc closes them
  if (document.querySelector('dialog[open], :popover-open')) return;
  if (isTyping(event.target)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const found = keysNow().find(({ key }) => key === event.key);
  if (!found) return;
  event.preventDefault();
  found.run();
});

/**
 * Gives a component its keys for as long as it is shown.
 * @param depth 0 of the frame, 1 of a page, 2 of a panel
 */
export function useKeys(depth: number, keys: readonly Key[]): void {
  const layer = useRef<Layer>({ depth, keys });
  layer.current.keys = keys;
  useEffect(() => {
    const mine = layer.current;
    layers.push(mine);
    return () => void layers.splice(layers.indexOf(mine), 1);
  }, []);
}
