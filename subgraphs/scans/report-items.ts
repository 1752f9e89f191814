import { loadDetections } from '../../catalog/detections/rule-set.js';
import { packEvents, type EventPack } from '../../kit/engine/event-pack.js';
import { damageOf, fileSource, isDamage, NotOfFormat, openReport, ReportTooLarge } from '../../importers/index.js';
import type { ThreadSession } from '../../kit/work/thread-pool.js';
import type { EventInput, ImportItem, ImportOptions } from '../../importers/types.js';

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

/** What a report holds, as it is delivered: its events in packs. */
export type DeliveredItem = Exclude<ImportItem, { kind: 'event' }> | { kind: 'events'; pack: EventPack };

/** The next items of a report, in its order; events behind the others. `done` after the last, with what is wrong with the report as a whole. */
export interface ItemBatch {
  items: DeliveredItem[];
  done: { fault: string | null } | null;
}

/** Items of a batch, events of one, and bytes of the report that it is made of: what goes from a thread to another is copied in one piece. */
const MOST_ITEMS = 150;
const MOST_EVENTS = 500;
const MOST_BYTES = 512 * 1024;
/** The same for all, so that a batch holds it once. */
const RECORD = { kind: 'record' } as const;

/** Reads a report in batches. */
export class ReportReader {
  private readonly items: AsyncGenerator<ImportItem>;
  private bytes = 0;

  constructor(input: ReadingInput) {
    this.items = itemsOf(input, (bytes) => (this.bytes += bytes));
  }

  /** @throws what is no fault of the report */
  async next(): Promise<ItemBatch> {
    const items: DeliveredItem[] = [];
    const events: EventInput[] = [];
    const batch = (done: ItemBatch['done']): ItemBatch => {
      if (events.length > 0) items.push({ kind: 'events', pack: packEvents(events, (event) => loadDetections().match(event)) });
      return { items, done };
    };
    const end = this.bytes + MOST_BYTES;
    const isFull = () => (events.length === 0 ? items.length >= MOST_ITEMS : events.length >= MOST_EVENTS);
    try {
      while (!isFull() && this.bytes < end) {
        const { done, value } = await this.items.next();
        if (done) return batch({ fault: null });
        if (value.kind === 'event') events.push(value.event);
        else items.push(value.kind === 'record' ? RECORD : value);
      }
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null) throw error;
      return batch({ fault });
    }
    return batch(null);
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
export async function* readItems(input: ReadingInput, open: OpenReading | null, signal: AbortSignal): AsyncGenerator<DeliveredItem> {
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
