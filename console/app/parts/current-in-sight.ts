import { useEffect, useRef } from 'preact/hooks';
import type { RefObject } from 'preact';

/** Keeps the current link of a row of links in sight, where the row is wider than the screen. @param now which one it is */
export function useCurrentInSight(now: string | undefined): RefObject<HTMLElement | null> {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = place.current;
    const link = row?.querySelector<HTMLElement>('[aria-current]');
    if (row && link) row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
  }, [now]);
  return place;
}
