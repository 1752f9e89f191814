import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PagedList } from '../paged-list.js';
import { Cells, ColumnHeads, ColumnWidths, type Column } from './columns.js';
import { Failed, Partial, Waiting } from './states.js';
import { rowHeight, useVirtualRows } from './use-virtual-rows.js';

export interface LongTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly list: PagedList<Row>;
  readonly keyOf: (row: Row) => string;
  /** The row that the keyboard is at; -1 for none. */
  readonly current?: number;
  /** Rows that are marked: selected, or open in a panel. */
  readonly isMarked?: (row: Row) => boolean;
  readonly order?: string | null;
  readonly sort?: (order: string | null) => void;
  /** What is said where there is no row. */
  readonly empty: ComponentChildren;
}

/** Pixels that a column without a width takes at least. */
const LEAST = 140;

/** Pixels that the columns take which are shown in any case; with less room the list is scrolled sideways. */
const leastOf = <Row,>(columns: readonly Column<Row>[]): number =>
  columns.reduce((sum, { when, brief, width }) => sum + (when ? 0 : (brief ?? width ?? LEAST)), 0);

/** A list of any length: only the rows in sight are in the document, and the pages of them are read as they come near. */
export function LongTable<Row>({ label, columns, list, keyOf, current = -1, isMarked, order, sort, empty }: LongTableProps<Row>) {
  const place = useRef<HTMLDivElement>(null);
  const total = list.total ?? 0;
  const rows = useVirtualRows(place, total);
  const [first, last] = [rows.indexes[0] ?? 0, rows.indexes.at(-1) ?? 0];
  useEffect(() => list.want(first, last), [list, first, last, total]);
  useEffect(() => {
    place.current?.scrollTo({ top: 0 });
  }, [list.path]);
  useEffect(() => {
    if (current < 0) return;
    rows.show(current);
    // once it is drawn
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>('tr.current a')?.focus({ preventScroll: true }));
  }, [current]);
  return (
    <>
      <Partial degraded={list.degraded} restricted={list.restricted} />
      <div class="long" ref={place} tabIndex={0} role="region" aria-label={label} aria-busy={list.total === null && !list.error}>
        {list.error && <Failed error={list.error} what={label} retry={() => list.retry()} />}
        {list.total === null && !list.error && <Waiting what={label} rows={12} />}
        {list.total === 0 && empty}
        {total > 0 && (
          <table aria-rowcount={total + 1} style={{ '--least': `${leastOf(columns)}px` }}>
            <caption class="hidden">{label}</caption>
            <ColumnWidths columns={columns} />
            <thead>
              <ColumnHeads columns={columns} order={order} sort={sort} />
            </thead>
            <tbody>
              {rows.above > 0 && <tr class="space" aria-hidden="true" style={{ height: `${rows.above}px` }} />}
              {rows.indexes.map((index) => {
                const row = list.rowAt(index);
                const height = { height: `${rowHeight()}px` };
                if (row === undefined)
                  return (
                    <tr key={`unread ${index}`} style={height} aria-rowindex={index + 2} class="unread">
                      <td colSpan={columns.length}>
                        <i />
                        <span class="hidden">Loading</span>
                      </td>
                    </tr>
                  );
                const marks = [index === current && 'current', isMarked?.(row) && 'marked'].filter(Boolean).join(' ');
                return (
                  <tr key={keyOf(row)} style={height} aria-rowindex={index + 2} class={marks}>
                    <Cells columns={columns} row={row} />
                  </tr>
                );
              })}
              {rows.below > 0 && <tr class="space" aria-hidden="true" style={{ height: `${rows.below}px` }} />}
            </tbody>
          </table>
        )}
      </div>
    </>
  );
}
