import { useEffect, useMemo, useReducer } from 'preact/hooks';
import { ask, type Refusal } from './api.js';
import { refusalFor } from './use-ask.js';

/** A page of a list, as every list of the API answers it. */
export interface Page<Row> {
  readonly items: readonly Row[];
  readonly total: number;
  readonly degradedEngines?: readonly string[];
  readonly restrictedEngines?: readonly string[];
}

const SIZE = 100;

/** A list of any length, of which the pages that are looked at are here, and one more. */
export class PagedList<Row> {
  /** Exact; null until the first page is here. */
  total: number | null = null;
  error: Refusal | null = null;
  degraded: readonly string[] = [];
  restricted: readonly string[] = [];
  private readonly pages = new Map<number, readonly Row[]>();
  private readonly asked = new Set<number>();
  private readonly left = new AbortController();

  constructor(
    readonly path: string,
    private readonly changed: () => void,
  ) {}

  rowAt(index: number): Row | undefined {
    return this.pages.get(Math.floor(index / SIZE))?.[index % SIZE];
  }

  /** The rows that are here, first to last. */
  *known(): Generator<[index: number, row: Row]> {
    for (const [page, rows] of this.pages) for (const [at, row] of rows.entries()) yield [page * SIZE + at, row];
  }

  /** Brings what is between two rows, and a page ahead. */
  want(first: number, last: number): void {
    const end = this.total === null ? 0 : Math.ceil(this.total / SIZE) - 1;
    for (let page = Math.floor(first / SIZE); page <= Math.min(Math.floor((last + SIZE / 2) / SIZE), end); page++) this.bring(page);
  }

  private bring(page: number): void {
    if (this.asked.has(page)) return;
    this.asked.add(page);
    const joint = this.path.includes('?') ? '&' : '?';
    ask<Page<Row>>(`${this.path}${joint}page=${page + 1}&page_size=${SIZE}`, this.left.signal).then(
      (answer) => this.take(page, answer),
      (error: unknown) => {
        if (this.left.signal.aborted) return;
        this.error = refusalFor(error);
        this.changed();
      },
    );
  }

  private take(page: number, { items, total, degradedEngines = [], restrictedEngines = [] }: Page<Row>): void {
    if (this.left.signal.aborted) return;
    this.total = total;
    this.degraded = degradedEngines;
    this.restricted = restrictedEngines;
    this.pages.set(page, items);
    this.changed();
  }

  /** Shows a change before the server has it, or takes it back. */
  patch(index: number, change: (row: Row) => Row): void {
    const page = Math.floor(index / SIZE);
    const rows = this.pages.get(page);
    if (!rows) return;
    this.pages.set(
      page,
      rows.map((row, at) => (at === index % SIZE ? change(row) : row)),
    );
    this.changed();
  }

  close(): void {
    this.left.abort();
  }
}

/** A list of the API; `reload` reads it anew. */
export function usePages<Row>(path: string): { list: PagedList<Row>; reload: () => void } {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const [turn, again] = useReducer((count: number) => count + 1, 0);
  const list = useMemo(() => new PagedList<Row>(path, () => draw(undefined)), [path, turn]);
  useEffect(() => {
    list.want(0, 0);
    return () => list.close();
  }, [list]);
  return { list, reload: () => again(undefined) };
}
