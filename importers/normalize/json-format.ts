import type { JsonObject } from '../readers/json/fields.js';
import { outlineJson, type JsonOutline } from '../readers/json/outline.js';
import type { JsonValueItem } from '../readers/json/item.js';
import { readJson } from '../readers/json/records.js';
import { readHead } from '../readers/source.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat, type ReportSource } from '../types.js';
import { ReportItems } from './observation.js';
import { importRecords } from './record-items.js';
import { checkHead, type HeadRules } from './report-head.js';

/** What stands around the records of a report, wherever it stands in it. */
export class Surroundings {
  private readonly byPath = new Map<string, JsonValueItem[]>();
  private readonly byPlace = new Map<string, ReadonlyMap<string, unknown>>();
  /** Whether any of it was met. */
  isMet = false;
  /** Whether the report ends before its end: some of it may stand behind. */
  isCut = false;

  /** Reads the values at the paths; none of them may lie inside another's. Throws as `readJson` does. */
  static async read(source: ReportSource, paths: readonly string[]): Promise<Surroundings> {
    const surroundings = new Surroundings();
    if (paths.length === 0) return surroundings;
    for await (const item of readJson(source, paths)) {
      surroundings.isMet ||= item.kind !== 'broken';
      surroundings.isCut ||= item.kind === 'truncated';
      if (item.kind !== 'value') continue;
      const values = surroundings.byPath.get(item.path);
      if (values === undefined) surroundings.byPath.set(item.path, [item]);
      else values.push(item);
    }
    return surroundings;
  }

  /** All values at a path, in the order of the report, each with its place. */
  all(path: string): readonly JsonValueItem[] {
    return this.byPath.get(path) ?? [];
  }

  /** The first value at a path. */
  value(path: string): unknown {
    return this.all(path)[0]?.value;
  }

  /**
   * The value at a path in the elements that a record lies in: of the path `items[*].metadata`, that of the record's own item.
   * @param indices those of the record, outermost first
   * @param names those of the record, where the path has members of any name
   */
  near(path: string, indices: readonly number[], names: readonly string[] = []): unknown {
    let places = this.byPlace.get(path);
    if (places === undefined) {
      places = new Map(this.all(path).map((item) => [placeKey(item.indices, item.names), item.value]));
      this.byPlace.set(path, places);
    }
    const count = (part: RegExp): number => path.match(part)?.length ?? 0;
    return places.get(placeKey(indices.slice(0, count(/\[\*\]/g)), names.slice(0, count(/(?:^|\.)\*/g))));
  }

  /** As `near`, of a text that is not blank. */
  textNear(path: string, indices: readonly number[]): string | undefined {
    const value = this.near(path, indices);
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  }

  /** The first text at a path that is not blank. */
  text(path: string): string | undefined {
    const found = this.all(path).find(({ value }) => typeof value === 'string' && value.trim() !== '');
    return found?.value as string | undefined;
  }
}

const placeKey = (indices: readonly number[], names: readonly string[]): string => [indices.join(), ...names].join('\n');

/** A format whose reports are JSON with records at known paths: what of it is its own. */
export interface JsonFormat<Context> extends Omit<ReportFormat, 'detect' | 'read'> {
  /** For messages: `a Semgrep report ({"results": [...]})`. */
  readonly expected: string;
  readonly roots: HeadRules['roots'];
  /** Whether the outline of a report's head speaks for the format and for no other. */
  isOfFormat(outline: JsonOutline): boolean;
  /** Outline paths of which a report that has elements shows at least one. */
  readonly markers: readonly string[];
  /** Paths of the records. */
  readonly records: readonly string[];
  /** Paths of what the records need to be understood. */
  readonly around?: readonly string[];
  /** What values of these paths say beside the records, of which they are none. Nothing may throw in it. */
  readonly beside?: Readonly<Record<string, (record: JsonObject, item: JsonValueItem, context: Context) => ImportItem[]>>;
  /** What the records share; `source` is for what of the report cannot be held in memory as it is. */
  context(surroundings: Surroundings, options: ImportOptions, source: ReportSource): Context | Promise<Context>;
  /** What the report covers, found or not, and whether it says that it is not whole. */
  covers(context: Context): ImportItem[];
  /** The items of one record. @throws BrokenRecord naming what is missing */
  convert(record: JsonObject, item: JsonValueItem, context: Context, items: ReportItems): ImportItem[];
}

/** Makes a report format of what is its own: recognition, counting and damage are the same for all. */
export function jsonFormat<Context>(format: JsonFormat<Context>): ReportFormat {
  const { expected, roots, markers, records, around = [], beside = {}, isOfFormat, context, covers, convert, ...named } = format;
  const head: HeadRules = {
    expected,
    roots,
    markers,
    detect: isOfFormat,
    elements: roots.map((root) => (root === 'array' ? '[]!' : '!')),
  };
  return {
    ...named,
    detect: (text) => isOfFormat(outlineJson(text)),
    async *read(source, options) {
      const isKnown = await checkHead(source, head);
      const surroundings = await Surroundings.read(source, around);
      if (!isKnown && !surroundings.isMet && !(await isMarked(source, markers)) && !(await holdsRecords(source, records)))
        throw new NotOfFormat(`expected ${expected}, found nothing of it`);
      const shared = await context(surroundings, options, source);
      yield* covers(shared);
      const items = new ReportItems();
      yield* importRecords(
        readJson(source, [...records, ...Object.keys(beside)]),
        (record, item) => convert(record, item, shared, items),
        undefined,
        Object.fromEntries(
          Object.entries(beside).map(([path, read]) => [path, (record: JsonObject, item: JsonValueItem) => read(record, item, shared)]),
        ),
      );
    },
  };
}

/** Whether a report's head shows a mark of the format, be it a list that is null. */
async function isMarked(source: ReportSource, markers: readonly string[]): Promise<boolean> {
  const outline = outlineJson(await readHead(source));
  return markers.some((path) => outline.has(path));
}

/** Whether a report has a list for records, or ends before one could be seen. */
async function holdsRecords(source: ReportSource, paths: readonly string[]): Promise<boolean> {
  for await (const { kind } of readJson(source, paths)) if (kind !== 'broken') return true;
  return false;
}
