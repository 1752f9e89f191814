import { codePlace, imagePlace } from '../../normalize/artifact.js';
import { artifactItem, componentItem } from '../../normalize/component.js';
import { imageItems } from '../../normalize/image-asset.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { listAt, objectsAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

const DOCUMENT = 'SPDXRef-DOCUMENT';

/** What stands around the packages of a document. */
export interface SpdxHeader {
  version?: string | undefined;
  name?: string | undefined;
  namespace?: string | undefined;
  /** The ids of what the document describes. */
  described: Set<string>;
  /** The package that the document is of, where it is of one. */
  root?: JsonObject | undefined;
  /** Of each thing that the document describes, what it depends on. */
  direct: Map<string, Set<string>>;
}

/** What packages of a document share. */
export interface SpdxContext {
  header: SpdxHeader;
  place: PlaceDraft;
  rootId: string | undefined;
  /** The ids of what the root depends on; undefined where the document does not tell. */
  direct: ReadonlySet<string> | undefined;
}

export const newSpdxHeader = (): SpdxHeader => ({ described: new Set(), direct: new Map() });

/** What depends on what by a relationship; undefined for one of another kind. */
function dependencyOf(relationship: JsonObject): { ref: string; on: string } | undefined {
  const [from, kind, to] = ['spdxElementId', 'relationshipType', 'relatedSpdxElement'].map((name) => textAt(relationship, name));
  if (from === undefined || to === undefined || to === 'NONE' || to === 'NOASSERTION') return undefined;
  if (kind === 'DEPENDS_ON') return { ref: from, on: to };
  return kind !== undefined && /^(?:[A-Z]+_)?DEPENDENCY_OF$/.test(kind) ? { ref: to, on: from } : undefined;
}

/** Takes note of what the document describes. */
export function noteDescribed(header: SpdxHeader, relationship: JsonObject): void {
  const [from, kind, to] = ['spdxElementId', 'relationshipType', 'relatedSpdxElement'].map((name) => textAt(relationship, name));
  if (kind === 'DESCRIBES' && from === DOCUMENT && to !== undefined) header.described.add(to);
  if (kind === 'DESCRIBED_BY' && to === DOCUMENT && from !== undefined) header.described.add(from);
}

/** Takes note of what something that the document describes depends on; called once that is known. */
export function noteDirect({ described, direct }: SpdxHeader, relationship: JsonObject): void {
  const dependency = dependencyOf(relationship);
  if (dependency === undefined || !described.has(dependency.ref)) return;
  const known = direct.get(dependency.ref) ?? new Set();
  direct.set(dependency.ref, known.add(dependency.on));
}

/** Whether a package is the one that the document is of. */
export const isRoot = ({ described }: SpdxHeader, spdxPackage: JsonObject): boolean =>
  described.size === 1 && described.has(textAt(spdxPackage, 'SPDXID') ?? '');

/** What the document is of: what the caller names, else the package that it describes, else what it calls itself. */
export function spdxContext(header: SpdxHeader, options: ImportOptions): SpdxContext {
  const { root } = header;
  const rootId = textAt(root, 'SPDXID');
  const named = textAt(root, 'name') ?? header.name;
  const isImage = textAt(root, 'primaryPackagePurpose') === 'CONTAINER';
  const [image, version] = [options.artifact ?? named, textAt(root, 'versionInfo')];
  const tagged = options.artifact === undefined && version !== undefined && !/^sha256:/.test(version) && !/[:@][^/]*$/.test(image ?? '');
  const place =
    isImage && image !== undefined
      ? imagePlace(tagged ? `${image}:${version}` : image, options)
      : codePlace({ project: named ?? header.namespace }, options);
  return { header, place, rootId, direct: rootId === undefined ? undefined : header.direct.get(rootId) };
}

/** What the document is of. */
export function spdxItems({ header: { root, version, namespace, name }, place, rootId }: SpdxContext): ImportItem[] {
  const digest = hashesOf(root ?? {}).find(({ algorithm }) => algorithm === 'SHA-256')?.value;
  const isImage = place.resource_type === 'container_image';
  return [
    ...(isImage ? imageItems(place, {}, 'spdx') : []),
    artifactItem(place, {
      name: textAt(root, 'name') ?? name,
      version: textAt(root, 'versionInfo'),
      purl: purlOf(root ?? {}),
      digest: /^sha256:/.test(textAt(root, 'versionInfo') ?? '') ? textAt(root, 'versionInfo') : digest && `sha256:${digest}`,
      document: version ?? 'SPDX',
      serial: namespace,
      ref: rootId,
    }),
  ];
}

/** The item of a package; the one that the document is of is no component of itself. */
export function packageItems(record: JsonObject, position: string, { rootId, direct }: SpdxContext): ImportItem[] {
  const name = requireText(record, 'name');
  const ref = textAt(record, 'SPDXID');
  if (ref !== undefined && ref === rootId) return [];
  const references = objectsAt(record, 'externalRefs');
  const version = textAt(record, 'versionInfo');
  return [
    componentItem({
      name,
      version: version === 'NOASSERTION' ? undefined : version,
      purl: purlOf(record),
      kind: textAt(record, 'primaryPackagePurpose')?.toLowerCase().replaceAll('_', '-'),
      cpe: references.flatMap((one) =>
        /^cpe/i.test(textAt(one, 'referenceType') ?? '') ? (textAt(one, 'referenceLocator') ?? []) : [],
      )[0],
      supplier: textAt(record, 'supplier')?.replace(/^(?:Organization|Person|Tool): |^NOASSERTION$/, '') || undefined,
      licenses: licensesOf(record),
      hashes: hashesOf(record),
      relation: direct === undefined || ref === undefined ? undefined : direct.has(ref) ? 'direct' : 'transitive',
      ref,
      position,
    }),
  ];
}

/** What a relationship says of dependencies. */
export function relationshipItems(relationship: JsonObject): ImportItem[] {
  const dependency = dependencyOf(relationship);
  return dependency === undefined ? [] : [{ kind: 'dependency', dependency: { ref: dependency.ref, on: [dependency.on] } }];
}

const purlOf = (record: JsonObject): string | undefined =>
  objectsAt(record, 'externalRefs').flatMap((one) =>
    textAt(one, 'referenceType') === 'purl' ? (textAt(one, 'referenceLocator') ?? []) : [],
  )[0];

const isSaid = (license: string | undefined): license is string => license !== undefined && license !== 'NOASSERTION' && license !== 'NONE';

/** What it is licensed under: as it declares, else as was concluded. */
function licensesOf(record: JsonObject): string[] {
  const license = ['licenseDeclared', 'licenseConcluded'].map((name) => textAt(record, name)).find(isSaid);
  return license === undefined ? [] : [license];
}

/** Digests, by the names that CycloneDX has for them: `SHA256` is `SHA-256`. */
const hashesOf = (record: JsonObject) =>
  listAt(record, 'checksums').length === 0
    ? []
    : objectsAt(record, 'checksums').flatMap((one) => {
        const [algorithm, value] = [textAt(one, 'algorithm'), textAt(one, 'checksumValue')];
        return algorithm === undefined || value === undefined ? [] : { algorithm: algorithm.replace(/^SHA(?=\d)/, 'SHA-'), value };
      });
