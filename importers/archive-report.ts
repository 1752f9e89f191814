import { archiveItems, archiveOf, type ArchiveKind } from './readers/archive/archive.js';
import { countedSource, damageOf, isDamage, readBytes, ReportTooLarge, textOfHead } from './readers/source.js';
import { detectFormat } from './detect.js';
import { lookalikeOf, lookOfArchive } from './lookalikes.js';
import { ARCHIVE, type Report } from './report.js';
import { DETECT_BYTES, NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat, type ReportSource } from './types.js';

/** A report in an archive; an entry of which nothing is read, and why; the end of an archive that is damaged. */
type Part =
  | { kind: 'report'; name: string; source: ReportSource; importer: ReportFormat }
  | { kind: 'unread'; name: string; reason: string }
  | { kind: 'truncated'; reason: string };

/** What people call what reports come in. */
const CALLED: Readonly<Record<ArchiveKind, string>> = { zip: 'the zip archive', tar: 'the tar archive', list: 'the list' };
/** Entries that a refusal names. */
const MOST_NAMED = 5;
/** Entries of which it is told what they look like; of others, that they are of no format. */
const MOST_LOOKED_AT = 20;

/**
 * Reports in a zip or tar archive, or in a list in JSON, read as one: each entry is recognised by what it holds, and read as if it had come alone. An entry of
 * which nothing can be read is a broken record by its name.
 */
export class ArchiveReport implements Report {
  private constructor(
    private readonly source: ReportSource,
    private readonly kind: ArchiveKind,
    private readonly named: string | null,
    readonly formats: readonly ReportFormat[],
  ) {}

  /**
   * Looks at the beginning of each entry. Throws as `openReport` does.
   * @param named the format of the entries that are read; null for all
   */
  static async open(source: ReportSource, kind: ArchiveKind, named: string | null): Promise<ArchiveReport> {
    const formats = new Set<ReportFormat>();
    const unread: string[] = [];
    const names: string[] = [];
    for await (const part of partsOf(source, kind, named, () => undefined)) {
      if (part.kind === 'report') formats.add(part.importer);
      else unread.push(part.kind === 'unread' ? `${part.name} ${part.reason}` : part.reason);
      if (part.kind !== 'truncated') names.push(part.name);
    }
    if (formats.size > 0) return new ArchiveReport(source, kind, named, [...formats]);
    throw new NotOfFormat(lookOfArchive(names) ?? `${CALLED[kind]} holds no report that is read: ${listed(unread)}`);
  }

  get format(): string {
    const [only, ...others] = this.formats;
    return only !== undefined && others.length === 0 ? only.name : ARCHIVE;
  }

  async observedAt(): Promise<Date | undefined> {
    let earliest: Date | undefined;
    for await (const part of this.parts()) {
      if (part.kind !== 'report') continue;
      const time = await part.importer.observedAt?.(part.source);
      if (time !== undefined && (earliest === undefined || time < earliest)) earliest = time;
    }
    return earliest;
  }

  async probe(): Promise<void> {
    const unread: string[] = [];
    for await (const item of this.read({})) {
      if (item.kind === 'part') return;
      if (item.kind === 'broken') unread.push(`${item.position} ${item.reason}`);
    }
    throw new NotOfFormat(`${CALLED[this.kind]} holds no report that is read: ${listed(unread)}`);
  }

  async *read(options: ImportOptions, onBytes: (bytes: number) => void = () => undefined): AsyncGenerator<ImportItem> {
    for await (const part of this.parts(onBytes)) {
      if (part.kind === 'truncated') yield { kind: 'truncated', position: CALLED[this.kind], reason: part.reason };
      else if (part.kind === 'unread') yield { kind: 'broken', position: part.name, reason: part.reason };
      else yield* itemsOf(part, options);
    }
  }

  private parts(onBytes: (bytes: number) => void = () => undefined): AsyncGenerator<Part> {
    return partsOf(this.source, this.kind, this.named, onBytes);
  }
}

/** What an archive holds, in one pass over it: what its entries unpack to is bounded together. */
async function* partsOf(
  archive: ReportSource,
  kind: ArchiveKind,
  named: string | null,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Part> {
  const budget = new Budget(archive.maxBytes ?? Number.POSITIVE_INFINITY);
  const seen = new Set<string>();
  let lookedAt = 0;
  const lookOf = (head: Buffer) => (++lookedAt > MOST_LOOKED_AT ? '' : `: ${lookalikeOf(head)}`);
  for await (const item of archiveItems(archive, kind)) {
    if (item.kind === 'truncated') {
      yield item;
      continue;
    }
    const { name } = item;
    const isSecond = seen.has(name);
    seen.add(name);
    if (isSecond) yield { kind: 'unread', name, reason: 'stands in the archive more than once: the first one is read' };
    else if (item.kind === 'refused') yield { kind: 'unread', name, reason: item.reason };
    else yield await partOf(name, budget.next(countedSource(item.source, onBytes)), item.head, named, lookOf);
  }
}

async function partOf(
  name: string,
  source: ReportSource,
  ahead: ReportSource | undefined,
  named: string | null,
  lookOf: (head: Buffer) => string,
): Promise<Part> {
  let damage: Error | undefined;
  const head = await readBytes(ahead ?? source, DETECT_BYTES, (error) => (damage = error));
  if (head.length === 0 && damage !== undefined) return { kind: 'unread', name, reason: damageOf(damage) };
  if (archiveOf(head) !== undefined) return { kind: 'unread', name, reason: 'is an archive in the archive, which is not opened' };
  const importer = detectFormat(textOfHead(head));
  if (importer === undefined) return { kind: 'unread', name, reason: `is of no format that is read${lookOf(head)}` };
  if (named !== null && importer.name !== named) return { kind: 'unread', name, reason: `is of the format ${importer.name}, not ${named}` };
  return { kind: 'report', name, source, importer };
}

async function* itemsOf(part: Extract<Part, { kind: 'report' }>, options: ImportOptions): AsyncGenerator<ImportItem> {
  const { name, source, importer } = part;
  const begin: ImportItem = { kind: 'part', format: importer.name, name };
  let begun = false;
  try {
    for await (const item of importer.read(source, options)) {
      if (!begun) yield begin;
      begun = true;
      yield placed(item, name);
    }
    if (!begun) yield begin;
  } catch (error) {
    if (error instanceof NotOfFormat) yield { kind: 'broken', position: name, reason: error.message };
    else if (isDamage(error)) yield { kind: 'truncated', position: name, reason: damageOf(error) };
    else throw error;
  }
}

/** An item with its place in the archive. */
function placed(item: ImportItem, name: string): ImportItem {
  if (item.kind === 'broken' || item.kind === 'unanswered' || item.kind === 'truncated')
    return { ...item, position: `${name}: ${item.position}` };
  if (item.kind === 'event') return { kind: 'event', event: { ...item.event, position: `${name}: ${item.event.position}` } };
  if (item.kind !== 'observation') return item;
  return { kind: 'observation', observation: { ...item.observation, position: `${name}: ${item.observation.position}` } };
}

/** Bounds what entries unpack to together, however often each is read. */
class Budget {
  private spent = 0;
  private most = 0;

  constructor(private readonly maxBytes: number) {}

  /** The source of the next entry. */
  next(source: ReportSource): ReportSource {
    this.spent += this.most;
    this.most = 0;
    return {
      ...source,
      open: () => {
        let read = 0;
        const counted = countedSource(source, (bytes) => {
          read += bytes;
          this.most = Math.max(this.most, read);
          if (this.spent + read > this.maxBytes) throw new ReportTooLarge(this.maxBytes);
        });
        return counted.open();
      },
    };
  }
}

function listed(unread: readonly string[]): string {
  if (unread.length === 0) return 'it is empty';
  const more = unread.length - MOST_NAMED;
  return unread.slice(0, MOST_NAMED).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
