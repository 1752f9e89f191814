import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useEffect, useReducer, useRef } from 'preact/hooks';

/** Rows beyond both ends of what is seen. */
const OVERSCAN = 6;
const FINGER = matchMedia('(pointer: coarse)');

/** Pixels of a row: a pointer needs less than a finger. */
export const rowHeight = (): number => (FINGER.matches ? 44 : 32);

/** Pixels of the header, which stands above the rows and stays in sight. */
const HEADER = 32;

export interface VirtualRows {
  readonly indexes: readonly number[];
  /** Pixels above and below what is drawn. */
  readonly above: number;
  readonly below: number;
  readonly show: (index: number) => void;
}

/** Which of `count` rows are to be drawn, as `place` is scrolled. */
export function useVirtualRows(place: RefObject<HTMLElement | null>, count: number): VirtualRows {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const kept = useRef<Virtualizer<HTMLElement, HTMLElement>>(undefined);
  const height = rowHeight();
  const options = {
    count,
    getScrollElement: () => place.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: HEADER,
    scrollPaddingStart: HEADER,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => draw(undefined),
    initialRect: { width: 0, height: 800 },
  };
  const virtualizer = (kept.current ??= new Virtualizer(options));
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), []);
  useEffect(() => virtualizer._willUpdate());
  const items = virtualizer.getVirtualItems();
  return {
    indexes: items.map(({ index }) => index),
    above: (items[0]?.start ?? HEADER) - HEADER,
    below: virtualizer.getTotalSize() + HEADER - (items.at(-1)?.end ?? HEADER),
    show: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}
