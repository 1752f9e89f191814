import type { JsonObject } from '../../readers/json/fields.js';
import { readTextLines } from '../../readers/lines/text-lines.js';
import type { ReadFault } from '../../readers/record.js';
import type { ReportSource } from '../../types.js';

/** What stands in a document of tags and values, as the JSON of SPDX has it. `path` is where it would stand there. */
export type TagValueItem = { kind: 'value'; path: TagValuePath; value: JsonObject; position: string } | (ReadFault & { path?: undefined });
export type TagValuePath = '$' | 'packages[*]' | 'relationships[*]';

const TAG = /^([A-Za-z]+):\s*(.*)$/;
/** Tags that begin a section which tells of no package. */
const OTHER_SECTIONS = new Set(['FileName', 'SnippetSPDXID', 'LicenseID', 'Reviewer', 'Annotator']);
/** Tags of a package, and the members that the JSON has for them. */
const MEMBERS: Readonly<Record<string, string>> = {
  PackageName: 'name',
  SPDXID: 'SPDXID',
  PackageVersion: 'versionInfo',
  PackageSupplier: 'supplier',
  PrimaryPackagePurpose: 'primaryPackagePurpose',
  PackageLicenseConcluded: 'licenseConcluded',
  PackageLicenseDeclared: 'licenseDeclared',
};
const DOCUMENT_MEMBERS: Readonly<Record<string, string>> = {
  SPDXVersion: 'spdxVersion',
  DocumentName: 'name',
  DocumentNamespace: 'documentNamespace',
  Created: 'created',
};

interface Section {
  path: '$' | 'packages[*]';
  value: Record<string, unknown>;
  position: string;
}

/** Reads a document of tags and values (SPDX 2.3, chapter 5): sections and relationships, one in memory at a time. */
export async function* readTagValue(source: ReportSource): AsyncGenerator<TagValueItem, void, undefined> {
  let section: Section | undefined = { path: '$', value: {}, position: 'line 1' };
  let inText = false;
  for await (const item of readTextLines(source)) {
    if (item.kind !== 'value') {
      yield item;
      continue;
    }
    const { text } = item.value;
    if (inText) {
      inText = !text.includes('</text>');
      continue;
    }
    const [, tag, raw = ''] = TAG.exec(text) ?? [];
    if (tag === undefined) continue;
    inText = raw.startsWith('<text>') && !raw.includes('</text>');
    const value = raw.replace(/^<text>|<\/text>$/g, '').trim();
    if (tag === 'Relationship') {
      const [spdxElementId, relationshipType, relatedSpdxElement] = value.split(/\s+/);
      yield {
        ...{ kind: 'value', path: 'relationships[*]', position: item.position },
        value: { spdxElementId, relationshipType, relatedSpdxElement },
      };
    } else if (tag === 'PackageName' || OTHER_SECTIONS.has(tag)) {
      if (section !== undefined) yield { kind: 'value', ...section };
      section = tag === 'PackageName' ? { path: 'packages[*]', value: { name: value }, position: item.position } : undefined;
    } else if (section !== undefined) take(section, tag, value);
  }
  if (section !== undefined) yield { kind: 'value', ...section };
}

function take({ path, value: into }: Section, tag: string, value: string): void {
  const members = path === '$' ? DOCUMENT_MEMBERS : MEMBERS;
  if (Object.hasOwn(members, tag)) into[members[tag]!] ??= value;
  else if (path === '$') return;
  else if (tag === 'PackageChecksum') {
    const [algorithm, checksumValue] = value.split(/:\s*/);
    append(into, 'checksums', { algorithm, checksumValue });
  } else if (tag === 'ExternalRef') {
    const [referenceCategory, referenceType, referenceLocator] = value.split(/\s+/);
    append(into, 'externalRefs', { referenceCategory, referenceType, referenceLocator });
  }
}

const MOST = 200;
function append(into: Record<string, unknown>, member: string, value: JsonObject): void {
  const list = (into[member] ??= []) as JsonObject[];
  if (list.length < MOST) list.push(value);
}
