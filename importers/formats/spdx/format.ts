import { jsonFormat } from '../../normalize/json-format.js';
import { importRecords } from '../../normalize/record-items.js';
import { timeAt, toTime } from '../../normalize/report-time.js';
import { alsoYaml } from '../../normalize/yaml-format.js';
import { asObject, textAt, textsAt } from '../../readers/json/fields.js';
import { readJson } from '../../readers/json/records.js';
import { readHead } from '../../readers/source.js';
import type { ReportFormat, ReportSource } from '../../types.js';
import {
  isRoot,
  newSpdxHeader,
  noteDescribed,
  noteDirect,
  packageItems,
  relationshipItems,
  spdxContext,
  spdxItems,
  type SpdxContext,
  type SpdxHeader,
} from './document.js';
import { isGraph, readGraph } from './graph.js';
import { readTagValue, type TagValueItem } from './tag-value.js';

const PACKAGES = 'packages[*]';
const RELATIONSHIPS = 'relationships[*]';
/** GitHub answers with a document in an object. */
const WRAPPED = 'sbom.';
const both = (path: string): string[] => [path, WRAPPED + path];

/** What of a document stands at a path, whichever way it is written. */
type Part = { path: string; value: unknown };
type Parts = (source: ReportSource, paths: readonly string[]) => AsyncIterable<Part>;

async function* jsonParts(source: ReportSource, paths: readonly string[]): AsyncGenerator<Part> {
  for await (const item of readJson(source, paths.flatMap(both)))
    if (item.kind === 'value') yield { path: item.path.replace(WRAPPED, ''), value: item.value };
}

type ItemReader = (source: ReportSource) => AsyncIterable<TagValueItem>;

/** The parts of a document that is read as the JSON of SPDX 2.3 would tell it. */
const partsOf = (read: ItemReader) =>
  async function* (source: ReportSource): AsyncGenerator<Part> {
    for await (const item of read(source)) {
      if (item.kind !== 'value') continue;
      if (item.path === '$') for (const [path, value] of Object.entries(item.value)) yield { path, value };
      else yield item;
    }
  };

/** Texts of a document, by what they are here. */
const HEADER: Readonly<Record<string, 'version' | 'name' | 'namespace'>> = {
  spdxVersion: 'version',
  name: 'name',
  documentNamespace: 'namespace',
};

/** What stands around the packages: read first, because it may stand behind them. */
async function readHeader(source: ReportSource, parts: Parts): Promise<SpdxHeader> {
  const header = newSpdxHeader();
  for await (const { path, value } of parts(source, ['spdxVersion', 'name', 'documentNamespace', 'documentDescribes', RELATIONSHIPS])) {
    if (path === 'documentDescribes') for (const id of textsAt({ value }, 'value')) header.described.add(id);
    else if (path === RELATIONSHIPS) noteDescribed(header, asObject(value) ?? {});
    else if (Object.hasOwn(HEADER, path) && typeof value === 'string' && value.trim() !== '') header[HEADER[path]!] = value;
  }
  if (header.described.size === 0) return header;
  for await (const { path, value } of parts(source, [RELATIONSHIPS, PACKAGES])) {
    const object = asObject(value) ?? {};
    if (path === RELATIONSHIPS) noteDirect(header, object);
    else if (path === PACKAGES && isRoot(header, object)) header.root ??= object;
  }
  return header;
}

const json = jsonFormat<SpdxContext>({
  name: 'spdx',
  label: 'SPDX bill of materials (JSON, JSON-LD, YAML and tag-value)',
  engines: ['secops', 'di'],
  detection:
    'A JSON object with `spdxVersion` and `SPDXID`, be it in `sbom` as GitHub answers, one of SPDX 3 with a `@graph`, or a text that begins with a tag `SPDXVersion: SPDX-2`.',
  produce: 'syft registry.example.com/app:1.0 -o spdx-json=spdx.json',
  outsideClouds: true,
  observedAt: timeAt(...both('creationInfo.created')),
  expected: 'an SPDX document ({"spdxVersion": "SPDX-2.3", "packages": [...]}, or tags and values)',
  roots: ['object'],
  isOfFormat: (outline) => both('spdxVersion').some((path) => /^SPDX-2/.test(outline.get(path) ?? '')),
  markers: both('spdxVersion'),
  records: both(PACKAGES),
  beside: Object.fromEntries(both(RELATIONSHIPS).map((path) => [path, relationshipItems])),
  context: async (_, options, source) => spdxContext(await readHeader(source, jsonParts), options),
  covers: spdxItems,
  convert: (record, { position }, context) => packageItems(record, position, context),
});

const isTagValue = (head: string): boolean => /^\uFEFF?\s*(?:#[^\n]*\n\s*)*SPDXVersion:\s*SPDX-2/.test(head);

/** What is no package section and no relationship is no record. */
async function* packagesOf(items: AsyncIterable<TagValueItem>): AsyncGenerator<Exclude<TagValueItem, { path: '$' }>> {
  for await (const item of items) if (item.path !== '$') yield item;
}

/** How a document is read that is not JSON as SPDX 2 has it; undefined for one that is. */
function readerOf(head: string): ItemReader | undefined {
  if (isTagValue(head)) return readTagValue;
  return isGraph(head) ? readGraph : undefined;
}

const written: ReportFormat = {
  ...json,
  detect: (head) => readerOf(head) !== undefined || json.detect(head),
  async observedAt(source) {
    const read = readerOf(await readHead(source));
    if (read === undefined) return timeAt(...both('creationInfo.created'))(source);
    for await (const item of read(source)) {
      const created = item.path === '$' ? textAt(item.value, 'created') : undefined;
      if (created !== undefined) return toTime(created);
    }
    return undefined;
  },
  async *read(source, options) {
    const read = readerOf(await readHead(source));
    if (read === undefined) {
      yield* json.read(source, options);
      return;
    }
    const context = spdxContext(await readHeader(source, partsOf(read)), options);
    yield* spdxItems(context);
    yield* importRecords(packagesOf(read(source)), (record, { position }) => packageItems(record, position, context), undefined, {
      [RELATIONSHIPS]: relationshipItems,
    });
  },
};

/** SPDX 2.2, 2.3 and 3.0. A package is one record; the one that the document is of is the artifact, and no component of it. */
export const format = alsoYaml(written, /^spdxVersion:[ \t]*["']?SPDX-2/m);
