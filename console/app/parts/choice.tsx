import type { ComponentChildren } from 'preact';

interface ChoiceProps {
  readonly label: string;
  readonly isChosen: boolean;
  readonly toggle: () => void;
  /** What stands beside it: how many there are, another button. */
  readonly children?: ComponentChildren;
}

/** A row of a menu that is ticked. */
export const Choice = ({ label, isChosen, toggle, children }: ChoiceProps) => (
  <div class="facet">
    <label>
      <input type="checkbox" checked={isChosen} onChange={toggle} />
      <span class="grow">{label}</span>
    </label>
    {children}
  </div>
);
