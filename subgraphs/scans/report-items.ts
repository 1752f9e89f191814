import { damageOf, fileSource, isDamage, NotOfFormat, openReport, ReportTooLarge } from '../../importers/index.js';
import type { ThreadSession } from '../../kit/work/thread-pool.js';
import type { ImportItem, ImportOptions } from '../../importers/types.js';

/** What a report is read by; it reaches a thread as it is. */
export interface ReadingInput {
  path: string;
  /** After decompression. */
  maxBytes: number;
  format: string;
  options: ImportOptions;
}

/** Something is wrong with the report as a whole; the message says what. What was read before stands. */
export class ReportFault extends Error {
  override readonly name = 'ReportFault';
}

/** What is wrong with a report as a whole, by the error of its reader; null for a failure of ours. */
export function faultOf(error: unknown): string | null {
  if (isDamage(error)) return damageOf(error);
  return error instanceof NotOfFormat || error instanceof ReportTooLarge || error instanceof ReportFault ? error.message : null;
}

/** The next items of a report, in its order; `done` after the last, with what is wrong with the report as a whole. */
export interface ItemBatch {
  items: ImportItem[];
  done: { fault: string | null } | null;
}

/** Items of a batch, and bytes of the report that it is made of: what goes from a thread to another is copied in one piece. */
const MOST_ITEMS = 150;
const MOST_BYTES = 512 * 1024;

/** Reads a report in batches. */
export class ReportReader {
  private readonly items: AsyncGenerator<ImportItem>;
  private bytes = 0;

  constructor(input: ReadingInput) {
    this.items = itemsOf(input, (bytes) => (this.bytes += bytes));
  }

  /** @throws what is no fault of the report */
  async next(): Promise<ItemBatch> {
    const items: ImportItem[] = [];
    const end = this.bytes + MOST_BYTES;
    try {
      while (items.length < MOST_ITEMS && this.bytes < end) {
        const { done, value } = await this.items.next();
        if (done) return { items, done: { fault: null } };
        items.push(value);
      }
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null) throw error;
      return { items, done: { fault } };
    }
    return { items, done: null };
  }

  /** Lets the report go before its end. */
  async close(): Promise<void> {
    await this.items.return(undefined);
  }
}

async function* itemsOf(
  { path, maxBytes, format, options }: ReadingInput,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportItem, void> {
  const report = await openReport(fileSource(path, { maxBytes }), format);
  yield* report.read(options, onBytes);
}

/** Opens the thread that reads a report. */
export type OpenReading = (input: ReadingInput, signal: AbortSignal) => Promise<ThreadSession<null, 'next', ItemBatch>>;

/**
 * The items of a report, in its order: read in a thread of its own, a batch ahead of whoever takes them, or here.
 * @param open null to read here
 * @throws ReportFault at the end of what can be read; the reason of the signal
 */
export async function* readItems(input: ReadingInput, open: OpenReading | null, signal: AbortSignal): AsyncGenerator<ImportItem> {
  const reading = open ? inThread(await open(input, signal)) : here(new ReportReader(input));
  try {
    for (let batch = reading.next(); ;) {
      const { items, done } = await batch;
      if (!done) {
        batch = reading.next();
        // whoever awaits it hears of a failure; until then it is nobody's
        batch.catch(() => {});
      }
      yield* items;
      if (done?.fault) throw new ReportFault(done.fault);
      if (done) return;
    }
  } finally {
    await reading.close();
  }
}

interface Reading {
  next(): Promise<ItemBatch>;
  close(): Promise<void>;
}

const inThread = (session: ThreadSession<null, 'next', ItemBatch>): Reading => ({
  next: () => session.ask('next'),
  close: async () => session.close(),
});

const here = (reader: ReportReader): Reading => ({ next: () => reader.next(), close: () => reader.close() });
