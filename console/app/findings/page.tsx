import { useRef, useState } from 'preact/hooks';
import { hrefOf, valueOf } from '../address.js';
import { countText } from '../format.js';
import { useKeys } from '../keys.js';
import { LongTable } from '../parts/long-table.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Partial } from '../parts/states.js';
import { address, go, goWith, withQuery } from '../place.js';
import { can } from '../session.js';
import { usePages } from '../use-pages.js';
import { BulkBar, BulkJob } from './bulk-bar.js';
import { findingColumns } from './columns.js';
import { FilterBar } from './filter-bar.js';
import { bulkFilterOf, chipsOf, filterWord, listQueryIn } from './filters.js';
import { FindingPanel, type Doing } from './finding-panel.js';
import { keyOf, readKey, type Finding, type Target } from './finding.js';
import { useTriage } from './use-triage.js';
import { useSelection } from './use-selection.js';

function NothingHere() {
  const { path, query } = address.value;
  const chips = chipsOf(query);
  if (chips.length === 0)
    return (
      <Empty>
        <p>
          No findings yet. <a href={hrefOf(['scans'])}>Import a report</a>.
        </p>
      </Empty>
    );
  return (
    <Empty>
      <p>Nothing is found under these filters. Loosen one:</p>
      <p>
        {chips.map((chip) => (
          <button key={`${chip.name} ${chip.value}`} type="button" onClick={() => go({ path, query: chip.without })}>
            Without {filterWord(chip.name).toLowerCase()} {chip.value}
          </button>
        ))}
      </p>
    </Empty>
  );
}

/** Findings of all engines in one list, and one of them beside it. */
export function FindingsPage() {
  const { query } = address.value;
  const path = withQuery('/api/v1/findings', listQueryIn(query));
  const { list, reload } = usePages<Finding>(path);
  const [current, setCurrent] = useState(-1);
  const [turn, setTurn] = useState(0);
  const shownTarget = useRef<Target | null>(null);
  const selection = useSelection(path);
  const open = readKey(valueOf(query, 'open') ?? '');
  const job = valueOf(query, 'job');

  const indexOf = (key: string): number => [...list.known()].find(([, row]) => keyOf(row) === key)?.[0] ?? -1;
  const triage = useTriage({
    show: (target, shown) => list.patch(indexOf(keyOf(target)), (row) => ({ ...row, ...shown })),
    changed: () => setTurn((count) => count + 1),
    reload: () => {
      selection.clear();
      reload();
    },
    follow: (jobId) => goWith({ job: jobId }),
  });

  const filter = bulkFilterOf(query);
  const begin = (doing: Doing) => {
    if (!can('scans:create')) return;
    if (selection.isAll && filter) return triage.begin(doing, { filter, count: list.total ?? 0 });
    const row = current >= 0 ? list.rowAt(current) : undefined;
    const one = open ? shownTarget.current : row;
    const targets = selection.chosen.length > 0 ? selection.chosen : one ? [one] : [];
    if (targets.length > 0) triage.begin(doing, { targets });
  };
  const move = (by: number) => {
    const from = current < 0 && open ? indexOf(keyOf(open)) : current;
    const next = Math.max(0, Math.min((list.total ?? 1) - 1, from + by));
    const row = list.rowAt(next);
    setCurrent(next);
    if (open && row) goWith({ open: keyOf(row) }, 'replace');
  };
  const isNoted = (row: Finding) => selection.has(row) || (open !== null && keyOf(row) === keyOf(open));
  const escape = () => (open ? goWith({ open: null }) : selection.clear());
  const currentRow = () => (current >= 0 ? list.rowAt(current) : undefined);
  useKeys(1, [
    { key: 'j', words: 'Next finding', run: () => move(1) },
    { key: 'k', words: 'Finding before', run: () => move(-1) },
    { key: 'x', words: 'Select', run: () => currentRow() && selection.toggle(currentRow()!) },
    { key: 'o', words: 'Open', run: () => currentRow() && goWith({ open: keyOf(currentRow()!) }) },
    ...(can('scans:create')
      ? [
          { key: 's', words: 'Set the status', run: () => begin('status') },
          { key: 'a', words: 'Assign', run: () => begin('assign') },
          { key: 'e', words: 'Suppress', run: () => begin('suppress') },
        ]
      : []),
    { key: 'Escape', words: 'Close, or clear the selection', run: escape },
  ]);

  return (
    <div class={open ? 'list-page with-panel' : 'list-page'}>
      <div class="list">
        <PageHead title="Findings">
          <span class="count">{list.total !== null && countText(list.total)}</span>
          <span class="soft hint">
            <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>?</kbd> for all keys
          </span>
        </PageHead>
        <FilterBar />
        <Partial degraded={list.degraded} restricted={list.restricted} />
        {job && <BulkJob id={job} over={reload} close={() => goWith({ job: null })} />}
        {selection.count > 0 && can('scans:create') && (
          <BulkBar
            count={selection.count}
            all={filter && list.total}
            isAll={selection.isAll}
            takeAll={selection.takeAll}
            begin={begin}
            clear={selection.clear}
          />
        )}
        <LongTable
          label="findings"
          columns={findingColumns({ isSelected: selection.has, toggle: selection.toggle })}
          list={list}
          reload={reload}
          keyOf={keyOf}
          current={current}
          isMarked={isNoted}
          order={valueOf(query, 'sort')}
          sort={(order) => goWith({ sort: order })}
          empty={<NothingHere />}
        />
      </div>
      {open && (
        <FindingPanel
          key="panel"
          finding={open}
          turn={turn}
          takesFocus={current < 0}
          close={() => goWith({ open: null })}
          begin={(doing, target) => triage.begin(doing, { targets: [target] })}
          known={(target) => (shownTarget.current = target)}
        />
      )}
      {triage.dialog}
    </div>
  );
}
