import { stripVTControlCharacters } from 'node:util';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { redactText } from '../redaction/redact.js';
import { findCsvHeader } from './readers/csv/header.js';
import { outlineJson } from './readers/json/outline.js';
import { textOfHead } from './readers/source.js';
import { outlineXml } from './readers/xml/outline.js';
import { importers } from './registry.js';
import { shapeOf } from './shape.js';

const FILE = new URL('./lookalikes.yaml', import.meta.url);
const oneOrMore = <T>(schema: z.ZodType<T>) => z.union([schema.transform((one) => [one]), z.array(schema).min(1)]);
const pattern = (flags: string) => z.string().transform((text) => new RegExp(text, flags));
const way = z.union([
  z.string().transform((format) => ({ format, how: undefined })),
  z.strictObject({ format: z.string(), how: z.string() }),
]);

const lookalikeSchema = z
  .strictObject({
    what: z.string(),
    magic: oneOrMore(z.string().regex(/^(?:[0-9a-f]{2})+$/)).optional(),
    text: oneOrMore(pattern('im')).optional(),
    root: oneOrMore(z.string()).optional(),
    keys: z.array(z.string()).min(1).optional(),
    columns: z.array(z.string()).min(2).optional(),
    entries: pattern('m').optional(),
    ways: z.array(way).optional(),
    say: z.string().optional(),
  })
  .refine(({ ways, say }) => ways !== undefined || say !== undefined, 'says nothing of what to do');

/** A thing that people send and that is no report. */
export type Lookalike = z.infer<typeof lookalikeSchema>;

let table: readonly Lookalike[] | undefined;

/** All of them, in the order in which they are tried: `lookalikes.yaml` says what their members mean. */
export const lookalikes = (): readonly Lookalike[] => (table ??= z.array(lookalikeSchema).parse(load(readFileSync(FILE, 'utf8'))));

/** Lines that may stand before the header of a CSV. */
const MAX_PREAMBLE = 2;
/** What is looked at of a text, behind blank lines. */
const TEXT_CHARS = 16 * 1024;

/**
 * What an upload that is of no format looks like, and what to send instead: a sentence for people, without a capital and a full stop.
 * @param head its first bytes, decompressed
 */
export function lookalikeOf(head: Buffer): string {
  const hex = head.toString('hex', 0, 16);
  const whole = textOfHead(head);
  const text = stripVTControlCharacters(whole)
    .replace(/^\s*\n/, '')
    .slice(0, TEXT_CHARS);
  const root = outlineXml(text)?.root;
  const keys = outlineJson(whole);
  const found = lookalikes().find(
    (one) =>
      one.magic?.some((bytes) => hex.startsWith(bytes)) === true ||
      one.text?.every((marks) => marks.test(text)) === true ||
      (root !== undefined && one.root?.includes(root) === true) ||
      one.keys?.every((key) => keys.has(key)) === true ||
      (one.columns !== undefined && findCsvHeader(text, { columns: one.columns, preamble: MAX_PREAMBLE }) !== undefined),
  );
  return redactText(found === undefined ? shapeOf(head, text, keys) : `this looks like ${sentenceOf(found)}`);
}

/** What an archive is by the names of its entries, where it is no archive of reports; undefined when it may be one. */
export function lookOfArchive(names: readonly string[]): string | undefined {
  const found = lookalikes().find(({ entries }) => entries?.test(names.join('\n')));
  return found && `this looks like ${sentenceOf(found)}`;
}

/** What it is, and which of its tool's ways lead to a report that is read. */
function sentenceOf({ what, ways = [], say }: Lookalike): string {
  const read = ways.flatMap(({ format, how }) => {
    const importer = importers.find(({ name }) => name === format);
    return importer === undefined ? [] : [`${how ?? importer.produce} (${importer.label})`];
  });
  const advice = read.length > 0 ? `what is read comes from ${read.join(' or ')}` : (say ?? 'nothing that its tool writes is read');
  return `${what}: ${advice}`;
}
