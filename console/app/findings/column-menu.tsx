import { Choice } from '../parts/choice.js';
import { Menu } from '../parts/menu.js';
import { goWith } from '../place.js';
import { CHOOSABLE, USUAL_IDS } from './columns.js';

/** Which columns the list has: they stand in the address, so that a link shows the same. @param chosen none of them for the usual ones */
export function ColumnMenu({ chosen }: { readonly chosen: readonly string[] }) {
  const shown = chosen.length > 0 ? chosen : USUAL_IDS;
  const toggle = (id: string) => goWith({ columns: shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id] }, 'replace');
  return (
    <Menu label="Columns" count={chosen.length > 0 ? CHOOSABLE.filter(({ id }) => chosen.includes(id)).length : 0}>
      {CHOOSABLE.map(({ id, title }) => (
        <Choice key={id} label={title} isChosen={shown.includes(id)} toggle={() => toggle(id)} />
      ))}
      <button type="button" disabled={chosen.length === 0} onClick={() => goWith({ columns: null }, 'replace')}>
        The usual ones
      </button>
    </Menu>
  );
}
