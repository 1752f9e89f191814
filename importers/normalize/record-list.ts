import { asObject, type JsonObject } from '../readers/json/fields.js';
import { outlineJson, type JsonOutline } from '../readers/json/outline.js';
import { readJson } from '../readers/json/records.js';
import { readJsonLines } from '../readers/lines/json-lines.js';
import { readHead } from '../readers/source.js';
import type { ImportItem, ImportOptions, ReportFormat } from '../types.js';
import { ReportItems } from './observation.js';
import { importRecords } from './record-items.js';
import { checkHead } from './report-head.js';

/** A format whose reports are a list of records: an array, JSON lines, one record alone, or a member of an object that holds them. */
export interface RecordListFormat extends Omit<ReportFormat, 'detect' | 'read'> {
  /** For messages: `GuardDuty findings (an array, JSON lines, or {"Findings": [...]})`. */
  readonly expected: string;
  /** Members of a root object that may hold the list: `Findings`. */
  readonly lists: readonly string[];
  /** Whether what stands at a place of the outline is a record of the format; `at` is `''`, `[].` or `Findings[].`. */
  isRecord(outline: JsonOutline, at: string): boolean;
  /** Members of which a record has at least one. */
  readonly markers: readonly string[];
  /** The items of one record. @throws BrokenRecord naming what is missing */
  convert(record: JsonObject, item: ListedRecord, options: ImportOptions, items: ReportItems): ImportItem[];
}

/** Where a record stands. */
export interface ListedRecord {
  position: string;
  /** Whether it stands in a list, which may be taken for all that there is; what comes alone or line by line tells of itself. */
  inList: boolean;
}

/** Makes a report format of what is its own: where its records may stand is the same for all. */
export function recordListFormat(format: RecordListFormat): ReportFormat {
  const { expected, lists, isRecord, markers, convert, ...named } = format;
  const places = ['[].', '', ...lists.map((list) => `${list}[].`)];
  const isOfFormat = (outline: JsonOutline): boolean => places.some((at) => isRecord(outline, at));
  const head = {
    expected,
    roots: ['array', 'object'] as const,
    detect: isOfFormat,
    markers: places.flatMap((at) => markers.map((name) => at + name)),
    elements: places.map((at) => (at === '' ? '!' : `${at.slice(0, -1)}!`)),
  };
  return {
    ...named,
    detect: (text) => isOfFormat(outlineJson(text)),
    async *read(source, options) {
      const text = await readHead(source);
      const outline = outlineJson(text);
      if (!lists.some((list) => isEmptyList(outline, list))) await checkHead(source, head);
      const items = new ReportItems();
      const read =
        (inList: boolean) =>
        (record: JsonObject, { position }: { position: string }): ImportItem[] =>
          convert(record, { position, inList }, options, items);
      const isAlone = isRecord(outline, '');
      if (isAlone && isOfLines(text)) {
        yield* importRecords(readJsonLines(source), read(false));
        return;
      }
      const list = isAlone ? undefined : lists.find((name) => outline.has(name));
      yield* importRecords(readJson(source, list === undefined ? ['$', '$[*]'] : ['$[*]', `${list}[*]`]), read(!isAlone));
    },
  };
}

/** Whether a member is a list in which nothing was seen: a tool that has found nothing may write nothing beside it. */
const isEmptyList = (outline: JsonOutline, path: string): boolean =>
  outline.get(path) === '' && !outline.has(`${path}[]`) && !outline.has(`${path}!`);

/** Whether a report's first line is an object of its own, with others behind it. */
export function isOfLines(head: string): boolean {
  const end = head.indexOf('\n');
  if (end === -1 || head.slice(end).trim() === '') return false;
  try {
    return asObject(JSON.parse(head.slice(0, end))) !== undefined;
  } catch {
    return false;
  }
}
