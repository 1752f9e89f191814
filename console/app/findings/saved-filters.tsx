import { useState } from 'preact/hooks';
import { hrefOf, valueOf } from '../address.js';
import { send } from '../api.js';
import { idFrom } from '../format.js';
import { tell } from '../notices.js';
import { FormDialog } from '../parts/dialog.js';
import { Menu } from '../parts/menu.js';
import { address } from '../place.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import type { Page } from '../paged-list.js';
import { bulkFilterOf } from './filters.js';

/** A row of `GET /saved-filters`. */
interface SavedFilter {
  readonly id: string;
  readonly name: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly sort: string | null;
  readonly shared: boolean;
  readonly own: boolean;
}

/** The address of a saved filter. */
const hrefFor = ({ filter, sort }: SavedFilter): string =>
  hrefOf(['findings'], {
    ...Object.fromEntries(
      Object.entries(filter).flatMap(([name, value]) =>
        value === null ? [] : [[name, Array.isArray(value) ? value.map(String) : String(value)]],
      ),
    ),
    sort,
  });

function SaveDialog({
  filter,
  close,
  saved,
}: {
  readonly filter: Record<string, unknown>;
  readonly close: () => void;
  readonly saved: () => void;
}) {
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const submit = async () => {
    const sort = valueOf(address.value.query, 'sort');
    await send('PUT', `/api/v1/saved-filters/${idFrom(name)}`, { name: name.trim(), filter, shared: isShared, ...(sort && { sort }) });
    tell(`Saved: ${name.trim()}`);
    saved();
  };
  return (
    <FormDialog title="Save these filters" close={close} action="Save" isReady={name.trim() !== ''} submit={submit}>
      <label>
        Name
        <input maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="choice">
        <input type="checkbox" checked={isShared} onChange={() => setShared(!isShared)} />
        Everybody in the tenant sees it
      </label>
    </FormDialog>
  );
}

/** The filters that people keep, and the way to keep those of now. */
export function SavedFilters() {
  const saved = useAsk<Page<SavedFilter>>(can('reports:read') ? '/api/v1/saved-filters?page_size=50' : null);
  const [isSaving, setSaving] = useState(false);
  const filter = bulkFilterOf(address.value.query);
  if (!can('reports:read')) return null;
  return (
    <>
      <Menu label="Saved">
        {saved.body?.items.length === 0 && <p class="soft">No filters were saved yet.</p>}
        <ul class="plain">
          {saved.body?.items.map((one) => (
            <li key={one.id}>
              <a href={hrefFor(one)}>{one.name}</a> {!one.own && <small class="soft">shared</small>}
            </li>
          ))}
        </ul>
        {can('reports:write') && (
          <button type="button" disabled={filter === null} onClick={() => setSaving(true)}>
            Save these filters
          </button>
        )}
        {filter === null && <p class="soft">One of these filters cannot be saved.</p>}
      </Menu>
      {isSaving && filter && <SaveDialog filter={filter} close={() => setSaving(false)} saved={saved.reload} />}
    </>
  );
}
