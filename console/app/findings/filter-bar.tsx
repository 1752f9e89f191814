import { toggled, valueOf } from '../address.js';
import { countText, wordOf } from '../format.js';
import { Choice } from '../parts/choice.js';
import { FilterChips } from '../parts/filter-chips.js';
import { Menu } from '../parts/menu.js';
import { SearchField } from '../parts/search-field.js';
import { address, go, goWith, withQuery } from '../place.js';
import { useAsk } from '../use-ask.js';
import { chipsOf, FACETS, filtersIn, filterWord, FIXED_VALUES, type FacetName } from './filters.js';
import { ColumnMenu } from './column-menu.js';
import { SavedFilters } from './saved-filters.js';

interface Facet {
  readonly distinct: number;
  readonly values: readonly { readonly value: string | null; readonly count: number }[];
}
type Facets = Readonly<Record<FacetName, Facet>>;

/** The values of a menu: fixed ones always, those that are set, and those that are there. */
function valuesOf(name: FacetName, facet: Facet | undefined, set: readonly string[]): string[] {
  const there = (facet?.values ?? []).flatMap(({ value }) => (value === null ? [] : [value]));
  return [...new Set([...(FIXED_VALUES[name] ?? []), ...set, ...there])];
}

function FacetMenu({ name, label, facet }: { readonly name: FacetName; readonly label: string; readonly facet: Facet | undefined }) {
  const { path, query } = address.value;
  const [set, not] = [query.get(name) ?? [], query.get(`not_${name}`) ?? []];
  const toggle = (filter: string, value: string) => go({ path, query: toggled(query, filter, value) });
  const values = valuesOf(name, facet, [...set, ...not]);
  const counts = new Map(facet?.values.map(({ value, count }) => [value, count]));
  const more = (facet?.distinct ?? 0) - counts.size;
  return (
    <Menu label={label} count={set.length + not.length}>
      {values.length === 0 && <p class="soft">No values under these filters.</p>}
      {values.map((value) => (
        <Choice
          key={value}
          label={name === 'status' ? wordOf(value) : value}
          isChosen={set.includes(value)}
          toggle={() => toggle(name, value)}
        >
          <span class="soft">{counts.has(value) ? countText(counts.get(value)) : ''}</span>
          <button
            type="button"
            class="quiet"
            aria-pressed={not.includes(value)}
            aria-label={`not ${value}`}
            onClick={() => toggle(`not_${name}`, value)}
          >
            not
          </button>
        </Choice>
      ))}
      {more > 0 && <p class="soft">{countText(more)} more values: narrow the list to see them.</p>}
    </Menu>
  );
}

/** Filters of the findings: they stand in the address, under the names that the API has for them. */
export function FilterBar() {
  const { path, query } = address.value;
  const facets = useAsk<Facets>(withQuery('/api/v1/findings/facets', filtersIn(query)));
  const clear = () => go({ path, query: new Map([...query].filter(([name]) => name === 'sort' || name === 'columns')) });
  return (
    <div class="filter-bar">
      <div class="menus">
        <SearchField
          label="Search titles and resources"
          value={valueOf(query, 'q') ?? ''}
          search={(q) => goWith({ q: q || null }, 'replace')}
        />
        {FACETS.map(([name, label]) => (
          <FacetMenu key={name} name={name} label={label} facet={facets.body?.[name]} />
        ))}
        <button
          type="button"
          class="menu"
          aria-pressed={valueOf(query, 'overdue') === 'true'}
          onClick={() => go({ path, query: toggled(query, 'overdue', 'true') })}
        >
          Overdue
        </button>
        <button
          type="button"
          class="menu"
          aria-pressed={valueOf(query, 'known_exploited') === 'true'}
          onClick={() => go({ path, query: toggled(query, 'known_exploited', 'true') })}
        >
          Known exploited
        </button>
        <SavedFilters />
        <ColumnMenu chosen={query.get('columns') ?? []} />
      </div>
      <FilterChips chips={chipsOf(query)} wordFor={filterWord} take={({ without }) => go({ path, query: without })} clear={clear} />
    </div>
  );
}
