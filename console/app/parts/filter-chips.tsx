import { wordOf } from '../format.js';
import type { Chip } from './chip.js';
import { Middle } from './text.js';

interface FilterChipsProps {
  readonly chips: readonly Chip[];
  readonly wordFor: (name: string) => string;
  readonly take: (chip: Chip) => void;
  readonly clear: () => void;
}

/** The filters that are set, each taken away by a click. */
export const FilterChips = ({ chips, wordFor, take, clear }: FilterChipsProps) =>
  chips.length === 0 ? null : (
    <ul class="chips" aria-label="Filters that are set">
      {chips.map((chip) => (
        <li key={`${chip.name} ${chip.value}`}>
          <button type="button" onClick={() => take(chip)} aria-label={`Take away ${wordFor(chip.name)} ${chip.value}`}>
            {wordFor(chip.name)}: {/status$/.test(chip.name) ? wordOf(chip.value) : <Middle text={chip.value} most={32} />}{' '}
            <i aria-hidden="true">✕</i>
          </button>
        </li>
      ))}
      <li>
        <button type="button" class="quiet" onClick={clear}>
          Clear
        </button>
      </li>
    </ul>
  );
