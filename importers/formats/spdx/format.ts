import { jsonFormat } from '../../normalize/json-format.js';
import { importRecords } from '../../normalize/record-items.js';
import { timeAt, toTime } from '../../normalize/report-time.js';
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

async function* tagValueParts(source: ReportSource): AsyncGenerator<Part> {
  for await (const item of readTagValue(source)) {
    if (item.kind !== 'value') continue;
    if (item.path === '$') for (const [path, value] of Object.entries(item.value)) yield { path, value };
    else yield item;
  }
}

/** What stands around the packages: read first, because it may stand behind them. */
async function readHeader(source: ReportSource, parts: Parts): Promise<SpdxHeader> {
  const header = newSpdxHeader();
  for await (const { path, value } of parts(source, ['spdxVersion', 'name', 'documentNamespace', 'documentDescribes', RELATIONSHIPS])) {
    if (path === 'documentDescribes') for (const id of textsAt({ value }, 'value')) header.described.add(id);
    else if (path === RELATIONSHIPS) noteDescribed(header, asObject(value) ?? {});
    else if (typeof value === 'string' && value.trim() !== '')
      header[path === 'spdxVersion' ? 'version' : path === 'name' ? 'name' : 'namespace'] = value;
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
  label: 'SPDX bill of materials (JSON and tag-value)',
  engines: ['secops', 'di'],
  detection:
    'A JSON object with `spdxVersion` and `SPDXID`, be it in `sbom` as GitHub answers, or a text that begins with a tag `SPDXVersion: SPDX-2`.',
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

/** SPDX 2.2 and 2.3. A package is one record; the one that the document is of is the artifact, and no component of it. */
export const format: ReportFormat = {
  ...json,
  detect: (head) => isTagValue(head) || json.detect(head),
  async observedAt(source) {
    if (!isTagValue(await readHead(source))) return timeAt(...both('creationInfo.created'))(source);
    for await (const item of readTagValue(source)) {
      const created = item.path === '$' ? textAt(item.value, 'created') : undefined;
      if (created !== undefined) return toTime(created);
    }
    return undefined;
  },
  async *read(source, options) {
    if (!isTagValue(await readHead(source))) {
      yield* json.read(source, options);
      return;
    }
    const context = spdxContext(await readHeader(source, tagValueParts), options);
    yield* spdxItems(context);
    yield* importRecords(packagesOf(readTagValue(source)), (record, { position }) => packageItems(record, position, context), undefined, {
      [RELATIONSHIPS]: relationshipItems,
    });
  },
};
