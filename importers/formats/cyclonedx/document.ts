import { artifactItem } from '../../normalize/component.js';
import { codePlace, imagePlace } from '../../normalize/artifact.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { imageItems } from '../../normalize/image-asset.js';
import type { PackageName } from '../../normalize/purl.js';
import { coverage } from '../../normalize/scope.js';
import { listAt, objectsAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { nameOf } from './component.js';

/** What stands around the components and vulnerabilities of a bill of materials. */
export interface BomHeader {
  specVersion?: string | undefined;
  serial?: string | undefined;
  /** The component that the bill is of. */
  root?: JsonObject | undefined;
  /** Whether it has a list of components, be it empty. */
  tellsComponents: boolean;
  /** Whether it has a list of vulnerabilities, be it empty. */
  tellsVulnerabilities: boolean;
  /** Whether it says of a vulnerability what an analysis (VEX) came to. */
  tellsAnalyses: boolean;
  /** What the bill calls the components that its root depends on; undefined where it does not tell. */
  direct?: ReadonlySet<string> | undefined;
  /** What the bill calls the components that vulnerabilities affect, with what they are once they were met. */
  affected: Map<string, PackageName | undefined>;
}

/** What records of a bill share. */
export interface BomContext {
  header: BomHeader;
  place: PlaceDraft;
  options: ImportOptions;
}

export const newHeader = (): BomHeader => ({
  tellsComponents: false,
  tellsVulnerabilities: false,
  tellsAnalyses: false,
  affected: new Map(),
});

/** The name by which a reference is known in its own bill: of one into a bill (BOM-Link), what stands behind the `#`. */
export const localRef = (ref: string): string => (ref.startsWith('urn:cdx:') ? decode(ref.slice(ref.indexOf('#') + 1)) : ref);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Takes note of what a bill says that its root depends on. */
export function noteDependency(header: BomHeader, dependency: JsonObject): void {
  const root = textAt(header.root, 'bom-ref');
  if (root !== undefined && textAt(dependency, 'ref') === root) header.direct = new Set(textsAt(dependency, 'dependsOn'));
}

/** Takes note of what a list of affected components names. */
export function noteAffected(header: BomHeader, affects: unknown): void {
  for (const affected of objectsAt({ affects }, 'affects')) {
    const ref = textAt(affected, 'ref');
    if (ref !== undefined) header.affected.set(localRef(ref), undefined);
  }
}

/** Takes note of a component, and those in it, where vulnerabilities affect them. */
export function noteComponent(header: BomHeader, component: JsonObject): void {
  const ref = textAt(component, 'bom-ref');
  if (ref !== undefined && header.affected.has(ref)) header.affected.set(ref, packageOf(component));
  for (const inner of objectsAt(component, 'components')) noteComponent(header, inner);
}

export const packageOf = (component: JsonObject): PackageName => ({
  name: nameOf(component) ?? '',
  version: textAt(component, 'version'),
  purl: textAt(component, 'purl'),
});

/** What a bill is of: what the caller names, else its root component. One that names nothing stands for itself. */
export function bomContext(header: BomHeader, options: ImportOptions): BomContext {
  const { root, serial } = header;
  if (root !== undefined) noteComponent(header, root);
  if (textAt(root, 'type') === 'container') {
    const image = options.artifact ?? imageName(root);
    if (image !== undefined) {
      const digest = digestOf(root);
      return { header, options, place: imagePlace(image, options, digest === undefined ? {} : { image_digests: [digest] }) };
    }
  }
  return { header, options, place: codePlace({ project: nameOf(root) ?? serial }, options) };
}

/** An image as it was scanned: tools write the tag into the name, or as the version, where others write the digest. */
function imageName(root: JsonObject | undefined): string | undefined {
  const [name, version] = [nameOf(root), textAt(root, 'version')];
  if (name === undefined || version === undefined || version.startsWith('sha256:')) return name;
  return /[:@][^/]*$/.test(name) ? name : `${name}:${version}`;
}

/** Whether a document tells judgments of vulnerabilities that others find: no components, and analyses. */
export const isOnlyVex = ({ tellsComponents, tellsAnalyses }: BomHeader): boolean => !tellsComponents && tellsAnalyses;

/** What the bill is of, and what it covers. One that tells vulnerabilities alone says nothing of components, and a VEX is no scan. */
export function bomItems({ header, place, options }: BomContext): ImportItem[] {
  const { root, specVersion, serial, tellsComponents, tellsVulnerabilities } = header;
  const version = textAt(root, 'version');
  const artifact = () =>
    artifactItem(place, {
      name: nameOf(root),
      version,
      kind: textAt(root, 'type'),
      purl: textAt(root, 'purl'),
      digest: digestOf(root),
      document: `CycloneDX ${specVersion ?? ''}`.trim(),
      serial,
      ref: textAt(root, 'bom-ref'),
    });
  return [
    ...(place.resource_type === 'container_image' ? imageItems(place, {}, 'cyclonedx') : []),
    ...(tellsComponents || !tellsVulnerabilities ? [artifact()] : []),
    ...(tellsVulnerabilities && !isOnlyVex(header) ? [coverage('vulnerability', place.resource_uid, 'cyclonedx', options)] : []),
  ];
}

/** The digest of what the bill is of: as its version, in its package URL, or among its hashes. */
const digestOf = (root: JsonObject | undefined): string | undefined =>
  [textAt(root, 'version'), textAt(root, 'purl'), ...hashesOf(root)]
    .map((text) => /sha256(?::|%3A)[0-9a-f]{64}/i.exec(text ?? '')?.[0])
    .find((text) => text !== undefined)
    ?.replace(/%3a/i, ':');

const hashesOf = (root: JsonObject | undefined): string[] =>
  listAt(root, 'hashes').length === 0
    ? []
    : objectsAt(root, 'hashes').flatMap((hash) => (textAt(hash, 'alg') === 'SHA-256' ? `sha256:${textAt(hash, 'content') ?? ''}` : []));
