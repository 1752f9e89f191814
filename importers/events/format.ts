import { outlineJson, type JsonOutline } from '../readers/json/outline.js';
import type { JsonObject } from '../readers/json/fields.js';
import { readJson } from '../readers/json/records.js';
import { importRecords } from '../normalize/record-items.js';
import { checkHead } from '../normalize/report-head.js';
import { readHead } from '../readers/source.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat } from '../types.js';
import { EventReader, type TellEvent } from './event.js';
import { eventTable } from './table.js';

/** What tells a log's reports from others, and how its records become events. */
export interface EventLog {
  /** Name of the format, and of the table in `tables/`. */
  name: string;
  label: string;
  detection: string;
  /** A command that makes such a report. */
  produce: string;
  /** Lists of an object in which records may stand. */
  lists: readonly string[];
  /** Members of a record by which it is known: all of one of these. */
  marks: readonly (readonly string[])[];
  /** Makes what reads the records of one report. */
  tell(options: ImportOptions): TellEvent;
  /** The event in a record that is wrapped in something else; the record itself where it is not. */
  unwrap?(record: JsonObject): JsonObject;
  /** Whether a record tells an event, and is not about one that another record tells. */
  isEvent?(record: JsonObject): boolean;
}

/** The format of an audit log: records in an array, in one of its lists, or one after another (JSON lines). */
export function eventFormat(log: EventLog): ReportFormat {
  const { name, label, detection, produce, lists, marks, unwrap = (record) => record, isEvent = () => true } = log;
  const isAt = (outline: JsonOutline, at: string): boolean => marks.some((all) => all.every((mark) => outline.has(at + mark)));
  const places = ['', '[].', ...lists.map((list) => `${list}[].`)];
  const detect = (outline: JsonOutline): boolean => places.some((at) => isAt(outline, at));
  const head = {
    expected: label,
    roots: ['array', 'object'] as const,
    detect,
    markers: places.flatMap((at) => marks.flatMap((all) => all.map((mark) => at + mark))),
    elements: places.slice(1).map((at) => `${at.slice(0, -1)}!`),
  };
  return {
    name,
    label,
    engines: ['cdr', 'ciem'],
    detection,
    produce,
    detect: (text) => detect(outlineJson(text)),
    async *read(source, options): AsyncGenerator<ImportItem> {
      let isKnown = await checkHead(source, head);
      const isLines = isAt(outlineJson(await readHead(source)), '');
      const reader = new EventReader(eventTable(name), log.tell(options), options);
      const values = readJson(source, isLines ? ['$', '$[*]'] : ['$[*]', ...lists.map((list) => `${list}[*]`)]);
      for await (const item of importRecords(
        values,
        (record, { position }) => {
          const event = unwrap(record);
          return isEvent(event) ? [reader.read(event, position)] : [];
        },
        () => (isKnown = true),
      )) {
        if (item.kind === 'truncated') isKnown = true;
        yield item;
      }
      if (!isKnown) throw new NotOfFormat(`expected ${label}, found no events`);
    },
  };
}
