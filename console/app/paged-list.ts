import { ask, Refusal, refusalFor } from './api.js';

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
  degraded: readonly string[] = [];
  restricted: readonly string[] = [];
  private readonly pages = new Map<number, readonly Row[]>();
  private readonly asked = new Set<number>();
  private readonly failed = new Map<number, Refusal>();
  /** Whether the rows are those of before. */
  private isOld = false;
  private readonly left = new AbortController();

  constructor(
    readonly path: string,
    private readonly changed: () => void,
    /** The same list as it was: what it has is shown until the first page is here. */
    before: PagedList<Row> | null = null,
  ) {
    if (before === null || before.total === null) return;
    this.isOld = true;
    this.total = before.total;
    this.degraded = before.degraded;
    this.restricted = before.restricted;
    this.pages = new Map(before.pages);
  }

  /** Why a page is not here; null where all that were asked for are, or are on their way. */
  get error(): Refusal | null {
    return [...this.failed.values()][0] ?? null;
  }

  rowAt(index: number): Row | undefined {
    return this.pages.get(Math.floor(index / SIZE))?.[index % SIZE];
  }

  /** The rows that are here, first to last. */
  *known(): Generator<[index: number, row: Row]> {
    for (const [page, rows] of this.pages) for (const [at, row] of rows.entries()) yield [page * SIZE + at, row];
  }

  /** Brings what is between two rows, and a page ahead. */
  want(first: number, last: number): void {
    // the first is asked for in any case: a list that was empty may not be any more
    const end = Math.max(0, Math.ceil((this.total ?? 0) / SIZE) - 1);
    for (let page = Math.floor(first / SIZE); page <= Math.min(Math.floor((last + SIZE / 2) / SIZE), end); page++) this.bring(page);
  }

  /** Asks again for the pages that are not here because of an error. */
  retry(): void {
    for (const page of [...this.failed.keys()]) this.bring(page);
    this.changed();
  }

  private bring(page: number): void {
    if (this.asked.has(page)) return;
    this.asked.add(page);
    this.failed.delete(page);
    const joint = this.path.includes('?') ? '&' : '?';
    ask<Page<Row>>(`${this.path}${joint}page=${page + 1}&page_size=${SIZE}`, this.left.signal).then(
      (answer) => this.take(page, answer),
      (error: unknown) => {
        if (this.left.signal.aborted) return;
        this.asked.delete(page);
        this.failed.set(page, refusalFor(error));
        this.changed();
      },
    );
  }

  private take(page: number, { items, total, degradedEngines = [], restrictedEngines = [] }: Page<Row>): void {
    if (this.left.signal.aborted) return;
    // another page of the same list: one that lacks more engines is of another list, whose rows and number are not these
    const lacking = degradedEngines.filter((engine) => !this.degraded.includes(engine));
    if (this.total !== null && !this.isOld && lacking.length > 0) {
      this.asked.delete(page);
      this.failed.set(page, new Refusal(503, 'UPSTREAM_UNAVAILABLE', `No answer of ${lacking.join(', ')}`, null));
      return this.changed();
    }
    if (this.isOld) this.pages.clear();
    this.isOld = false;
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
