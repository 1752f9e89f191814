import { codePlace, imagePlace } from '../../normalize/artifact.js';
import type { Surroundings } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import type { ScannedPackage } from '../../normalize/package-vulnerability.js';
import { packageKey } from '../../normalize/purl.js';
import { asObject, objectAt, objectsAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

const SOURCES = ['source', 'packageSource'];
const PACKAGES = 'results[*].packages[*]';
/** What surrounds the vulnerabilities of a report. */
export const OSV_SURROUNDINGS = [
  ...SOURCES.map((name) => `results[*].${name}`),
  ...['package', 'Package', 'groups', 'dependency_groups', 'license_violations', 'licenses'].map((name) => `${PACKAGES}.${name}`),
  'image_metadata',
];

/** One entry of `packages`. */
export interface OsvPackage {
  scanned: ScannedPackage;
  /** Vulnerabilities that are the same under several names, with the worst score of them. */
  groups: JsonObject[];
  dependencyGroups: string[];
  licenses: string[];
  /** Licenses that the project does not allow. */
  violations: string[];
  position: string;
}

/** What the vulnerabilities of a report share. */
export interface OsvContext {
  place: PlaceDraft;
  packages: Map<string, OsvPackage>;
  options: ImportOptions;
}

/** Reads packages and sources of a report; the files of a package are those of all its entries. */
export function osvContext(surroundings: Surroundings, options: ImportOptions): OsvContext {
  const sources = SOURCES.flatMap((name) => surroundings.all(`results[*].${name}`));
  const sourceOf = new Map(sources.map(({ indices, value }) => [indices[0], asObject(value)]));
  const packages = new Map<string, OsvPackage>();
  const at = (indices: readonly number[]): OsvPackage => {
    const key = indices.slice(0, 2).join();
    const position = `results[${indices[0]}].packages[${indices[1]}]`;
    const found = packages.get(key) ?? {
      scanned: { name: '' },
      groups: [],
      dependencyGroups: [],
      licenses: [],
      violations: [],
      position,
    };
    packages.set(key, found);
    return found;
  };
  for (const name of ['package', 'Package'])
    for (const { indices, value } of surroundings.all(`${PACKAGES}.${name}`)) at(indices).scanned = packageOf(asObject(value));
  for (const { indices, value } of surroundings.all(`${PACKAGES}.groups`)) at(indices).groups = objectsAt({ value }, 'value');
  for (const [name, member] of [
    ['dependency_groups', 'dependencyGroups'],
    ['licenses', 'licenses'],
    ['license_violations', 'violations'],
  ] as const)
    for (const { indices, value } of surroundings.all(`${PACKAGES}.${name}`)) at(indices)[member] = textsAt({ value }, 'value');
  const files = new Map<string, Set<string>>();
  for (const [key, { scanned }] of packages) {
    const path = textAt(sourceOf.get(Number(key.split(',')[0])), 'path');
    const name = packageKey(scanned);
    const seen = files.get(name) ?? new Set();
    if (path !== undefined) seen.add(path);
    files.set(name, seen);
  }
  for (const { scanned } of packages.values()) scanned.paths = [...(files.get(packageKey(scanned)) ?? [])].sort();
  return { place: placeOf([...sourceOf.values()], surroundings.value('image_metadata'), options), packages, options };
}

/** The package of a vulnerability. */
export const osvPackage = ({ packages }: OsvContext, [result, entry]: readonly number[]): OsvPackage | undefined =>
  packages.get(`${result},${entry}`);

function packageOf(value: JsonObject | undefined): ScannedPackage {
  return {
    name: textAt(value, 'name') ?? textAt(value, 'os_package_name') ?? textAt(value, 'commit') ?? '',
    version: textAt(value, 'version') ?? textAt(value, 'commit'),
    ecosystem: textAt(value, 'ecosystem'),
    purl: textAt(value, 'purl'),
  };
}

/** A scan of an image names it as the source of version 1; that of version 2 tells of the image's system only. */
function placeOf(sources: readonly (JsonObject | undefined)[], metadata: unknown, options: ImportOptions): PlaceDraft {
  const image = sources.find((source) => textAt(source, 'type') === 'docker');
  const name = textAt(image, 'path') ?? (asObject(metadata) === undefined ? undefined : (options.artifact ?? 'image'));
  if (name === undefined) return codePlace({}, options);
  return imagePlace(name, options, { os: textAt(objectAt({ metadata }, 'metadata'), 'os') });
}
