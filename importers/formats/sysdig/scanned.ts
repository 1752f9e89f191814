import { imagePlace } from '../../normalize/artifact.js';
import { toRating } from '../../normalize/cvss.js';
import type { Surroundings } from '../../normalize/json-format.js';
import type { ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { asObject, BrokenRecord, numberAt, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { ecosystemOf, type RowContext } from './row.js';

/** What stands around the vulnerabilities of a report of the command line. */
export interface ScannedContext extends RowContext {
  metadata: JsonObject | undefined;
  surroundings: Surroundings;
  /** Packages by the references to their vulnerabilities, where those are listed apart. */
  referring: ReadonlyMap<string, readonly JsonObject[]>;
}

/** Packages by the references to vulnerabilities that they have. */
export function referringPackages(surroundings: Surroundings): Map<string, JsonObject[]> {
  const referring = new Map<string, JsonObject[]>();
  for (const { value } of surroundings.all('result.packages.*')) {
    const one = asObject(value);
    if (one === undefined) continue;
    for (const reference of textsAt(one, 'vulnerabilitiesRefs')) {
      const others = referring.get(reference);
      if (others === undefined) referring.set(reference, [one]);
      else others.push(one);
    }
  }
  return referring;
}

/** Turns one vulnerability that the command line's scanner found into its rule (the first time) and an observation of each package that has it. */
export function readScanned(record: JsonObject, item: JsonValueItem, context: ScannedContext, items: ReportItems): ImportItem[] {
  const id = requireText(record, 'name');
  const packages = packagesOf(item, context);
  if (packages.length === 0) throw new BrokenRecord('the package is missing');
  return packages.flatMap((one) => vulnerabilityIn(id, record, one, item.position, context, items));
}

/** The package that a vulnerability lies in, or those that refer to it. */
function packagesOf({ indices, names }: JsonValueItem, { surroundings, referring }: ScannedContext): readonly JsonObject[] {
  if (indices.length === 0) return referring.get(names[0] ?? '') ?? [];
  const near = (name: string): string | undefined => surroundings.textNear(`result.packages[*].${name}`, indices);
  const [name, version, type, path, suggestedFix] = ['name', 'version', 'type', 'path', 'suggestedFix'].map(near);
  return name === undefined ? [] : [{ name, version, type, path, suggestedFix }];
}

function vulnerabilityIn(
  id: string,
  record: JsonObject,
  one: JsonObject,
  position: string,
  { metadata, options, places }: ScannedContext,
  items: ReportItems,
): ImportItem[] {
  const name = requireText(one, 'name');
  const image = textAt(metadata, 'pullString') ?? options.artifact ?? textAt(metadata, 'imageId') ?? 'image';
  const os = textAt(metadata, 'baseOs');
  const cvss = objectAt(record, 'cvssScore');
  const rating = objectAt(cvss, 'value') ?? cvss;
  const fix = textAt(record, 'fixedInVersion') ?? textAt(record, 'fixVersion') ?? textAt(one, 'suggestedFix');
  const path = textAt(one, 'path');
  const place = places.get(image) ?? imagePlace(image, options, { image_id: textAt(metadata, 'imageId'), os });
  places.set(image, place);
  return vulnerabilityItems(
    {
      source: 'sysdig',
      advisory: {
        id,
        severity: toSeverity(textAt(objectAt(record, 'severity'), 'value') ?? textAt(record, 'severity')),
        ratings: [toRating(numberAt(rating, 'score'), textAt(rating, 'vector'), { version: textAt(rating, 'version') })],
        fixedVersions: fix === undefined ? [] : [fix],
        publishedAt: textAt(record, 'disclosureDate'),
      },
      package: {
        name,
        version: textAt(one, 'version'),
        ecosystem: ecosystemOf(textAt(one, 'type'), os),
        paths: path === undefined ? [] : [path],
      },
      place,
      evidence: { exploit_available: record['exploitable'] === true ? true : undefined, image_digest: textAt(metadata, 'digest') },
      position,
    },
    items,
  );
}
