import { useEffect, useRef, useState } from 'preact/hooks';
import { hrefOf, valueOf } from '../address.js';
import { useKeys } from '../keys.js';
import { ExportBar, ExportMenu } from '../parts/exports.js';
import { JobBar } from '../parts/job-bar.js';
import { ListPage } from '../parts/list-page.js';
import { LongTable } from '../parts/long-table.js';
import { Empty } from '../parts/states.js';
import { address, go, goWith, withQuery } from '../place.js';
import { can } from '../session.js';
import { usePages } from '../use-pages.js';
import { BulkBar, resultWords } from './bulk-bar.js';
import { findingColumns } from './columns.js';
import { FilterBar } from './filter-bar.js';
import { bulkFilterOf, chipsOf, filterBodyOf, filterWord, listQueryIn } from './filters.js';
import { FindingPanel, type Doing } from './finding-panel.js';
import { keyOf, readKey, type Finding, type Target } from './finding.js';
import { useTriage } from './use-triage.js';
import { useSelection } from './use-selection.js';

/** The formats that findings can be exported in. */
const FORMATS = ['csv', 'xlsx', 'json', 'jsonl', 'ocsf', 'sarif', 'vex'];

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
  // what is answered late is about the list of then
  const now = useRef(list);
  now.current = list;
  // a place in one list is none in another
  useEffect(() => setCurrent(-1), [path]);
  const open = readKey(valueOf(query, 'open') ?? '');
  const job = valueOf(query, 'job');
  const order = valueOf(query, 'sort');

  const indexOf = (key: string): number => [...now.current.known()].find(([, row]) => keyOf(row) === key)?.[0] ?? -1;
  /** The findings that are selected, as the list has them by now. */
  const chosenNow = (): Finding[] => {
    const rows = new Map([...now.current.known()].map(([, row]) => [keyOf(row), row]));
    return selection.chosen.map((one) => rows.get(keyOf(one)) ?? one);
  };
  const triage = useTriage({
    show: (target, shown) => now.current.patch(indexOf(keyOf(target)), (row) => ({ ...row, ...shown })),
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
    // what the panel was told last may be of the finding before: the one that is open is on its way
    const shown = shownTarget.current;
    const isShown = open !== null && shown !== null && keyOf(shown) === keyOf(open);
    const one = isShown ? shown : list.rowAt(open ? indexOf(keyOf(open)) : current);
    const targets = selection.count > 0 ? chosenNow() : one ? [one] : [];
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
    <>
      <ListPage
        title="Findings"
        count={list.total}
        head={
          <>
            <ExportMenu of={{ findings: { ...filterBodyOf(query), ...(order && { sort: order }) } }} formats={FORMATS} />
            <span class="soft hint">
              <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>?</kbd> for all keys
            </span>
          </>
        }
        panel={
          open && (
            <FindingPanel
              key="panel"
              finding={open}
              turn={turn}
              takesFocus={current < 0}
              close={() => goWith({ open: null })}
              begin={(doing, target) => triage.begin(doing, { targets: [target] })}
              known={(target) => (shownTarget.current = target)}
            />
          )
        }
      >
        <FilterBar />
        <ExportBar />
        {job && (
          <JobBar
            id={job}
            label="Findings triaged"
            over={reload}
            close={() => goWith({ job: null })}
            result={({ result }) => resultWords(result)}
          />
        )}
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
          columns={findingColumns({ isSelected: selection.has, toggle: selection.toggle }, query.get('columns') ?? [])}
          list={list}
          keyOf={keyOf}
          current={current}
          isMarked={isNoted}
          order={order}
          sort={(order) => goWith({ sort: order })}
          empty={<NothingHere />}
        />
      </ListPage>
      {triage.dialog}
    </>
  );
}
