import type { Contents, Row } from '../format.js';
import type { Bar } from './charts.js';
import type { PdfChart, PdfLayout } from './layouts.js';
import type { Fonts } from './fonts.js';

/** Bars of a chart whose values are not known before. */
const MOST_BARS = 8;

/** What a document tells, with no more of each row than its table shows. */
export interface Gathered {
  readonly numbers: { label: string; count: number }[];
  readonly charts: { title: string; bars: Bar[] }[];
  /** The texts of each row. */
  readonly rows: string[][];
}

/** Reads all rows: numbers and charts stand before them. */
export async function gather({ rows: batches, tell }: Contents, { numbers, charts, columns }: PdfLayout, fonts: Fonts): Promise<Gathered> {
  const counts = numbers.map(() => 0);
  const values = charts.map(() => new Map<string, number>());
  const rows: string[][] = [];
  const note = (replaced: number) => tell('characters_replaced', replaced);
  const take = (row: Row) => {
    numbers.forEach((one, n) => (counts[n]! += Number(one.counts(row))));
    charts.forEach(({ valueOf }, n) => {
      const value = valueOf(row);
      if (value !== null) values[n]!.set(value, (values[n]!.get(value) ?? 0) + 1);
    });
    rows.push(columns.map(({ textOf }) => fonts.shown(textOf(row) ?? '', note)));
  };
  for await (const batch of batches) batch.forEach(take);
  return {
    numbers: numbers.map(({ label }, n) => ({ label, count: counts[n]! })),
    charts: charts.map((chart, n) => ({ title: chart.title, bars: barsOf(chart, values[n]!, fonts) })),
    rows,
  };
}

function barsOf({ order, colors = {} }: PdfChart, counts: ReadonlyMap<string, number>, fonts: Fonts): Bar[] {
  const barOf = (value: string): Bar => ({
    label: fonts.shown(value),
    count: counts.get(value) ?? 0,
    ...(colors[value] && { color: colors[value] }),
  });
  if (order) return order.map(barOf);
  const known = [...counts].sort(([one, some], [other, more]) => more - some || (one < other ? -1 : 1)).map(([value]) => value);
  const others = known.slice(MOST_BARS).reduce((sum, value) => sum + counts.get(value)!, 0);
  return [...known.slice(0, MOST_BARS).map(barOf), ...(others > 0 ? [{ label: 'others', count: others }] : [])];
}
