import { countText, counted } from '../format.js';
import type { Doing } from './finding-panel.js';

interface BulkBarProps {
  readonly count: number;
  /** How many the filters select; null where bulk triage does not know one of the filters. */
  readonly all: number | null;
  readonly isAll: boolean;
  readonly takeAll: () => void;
  readonly begin: (doing: Doing) => void;
  readonly clear: () => void;
}

/** What is done with the findings that are selected. */
export const BulkBar = ({ count, all, isAll, takeAll, begin, clear }: BulkBarProps) => (
  <div class="bulk" role="group" aria-label="Selected findings">
    <b>{isAll ? `All ${counted(all ?? 0, 'finding')}` : `${countText(count)} selected`}</b>
    <button type="button" onClick={() => begin('status')}>
      Status
    </button>
    <button type="button" onClick={() => begin('assign')}>
      Assign
    </button>
    <button type="button" onClick={() => begin('suppress')}>
      Suppress
    </button>
    {!isAll && all !== null && all > count && (
      <button type="button" class="quiet" onClick={takeAll}>
        Select all {countText(all)} under these filters
      </button>
    )}
    <button type="button" class="quiet" onClick={clear}>
      Clear <kbd aria-hidden="true">Esc</kbd>
    </button>
  </div>
);

/** What a bulk triage did, in words. */
export const resultWords = (result: unknown): string => {
  const { changed, unchanged, refused } = (result ?? {}) as Partial<Record<'changed' | 'unchanged' | 'refused', number>>;
  return [
    changed !== undefined && `${countText(changed)} changed`,
    unchanged !== undefined && `${countText(unchanged)} as they were`,
    refused !== undefined && refused > 0 && `${countText(refused)} refused`,
  ]
    .filter(Boolean)
    .join(', ');
};
