import type { ComponentChildren } from 'preact';

/** A column of a table. */
export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** Whether the title is for who does not see the column. */
  readonly isTitleHidden?: boolean;
  /** Pixels; one column without it takes the rest. */
  readonly width?: number;
  /** Pixels on a phone, where it has no room for a title and its cells show their mark alone. */
  readonly brief?: number;
  readonly align?: 'end';
  /** How much room it takes before the column is shown: more than a phone has, a wide screen, a very wide one. */
  readonly when?: 'wide' | 'roomy' | 'vast';
  /** What the API calls the order by this column, from low to high. */
  readonly sort?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

const classOf = ({ align, when, brief }: Pick<Column<never>, 'align' | 'when' | 'brief'>): string =>
  [align, when, brief && 'brief'].filter(Boolean).join(' ');

const widthsOf = ({ width, brief }: Pick<Column<never>, 'width' | 'brief'>): Record<string, string> => ({
  ...(width && { '--width': `${width}px` }),
  ...(brief && { '--brief': `${brief}px` }),
});

export const ColumnWidths = <Row,>({ columns }: { readonly columns: readonly Column<Row>[] }) => (
  <colgroup>
    {columns.map((column) => (
      <col key={column.id} class={classOf(column)} style={widthsOf(column)} />
    ))}
  </colgroup>
);

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  /** The order now, as the address has it. */
  readonly order?: string | null;
  readonly sort?: (order: string | null) => void;
}

/** The header: a click orders by its column, worst first, then the other way, then as it comes. */
export function ColumnHeads<Row>({ columns, order, sort }: HeadProps<Row>) {
  return (
    <tr>
      {columns.map((column) => {
        const { id, title, sort: name } = column;
        if (!name || !sort)
          return (
            <th key={id} scope="col" class={classOf(column)}>
              {column.isTitleHidden ? <span class="hidden">{title}</span> : title}
            </th>
          );
        const state = order === name ? 'ascending' : order === `-${name}` ? 'descending' : 'none';
        const next = { none: `-${name}`, descending: name, ascending: null }[state];
        return (
          <th key={id} scope="col" class={classOf(column)} aria-sort={state}>
            <button type="button" class="sort" onClick={() => sort(next)}>
              {title} <i aria-hidden="true">{{ none: '', ascending: '↑', descending: '↓' }[state]}</i>
            </button>
          </th>
        );
      })}
    </tr>
  );
}

export const Cells = <Row,>({ columns, row }: { readonly columns: readonly Column<Row>[]; readonly row: Row }) => (
  <>
    {columns.map((column) => (
      <td key={column.id} class={classOf(column)}>
        {column.cell(row)}
      </td>
    ))}
  </>
);

interface ShortTableProps<Row> {
  /** What its rows are, for who does not see it. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** What is said where there is no row. */
  readonly empty?: ComponentChildren;
}

/** A table of few rows. */
export function ShortTable<Row>({ label, columns, rows, keyOf, empty }: ShortTableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  return (
    <table class="short">
      <caption class="hidden">{label}</caption>
      <ColumnWidths columns={columns} />
      <thead>
        <ColumnHeads columns={columns} />
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <Cells columns={columns} row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}
