import { imagePlace } from '../../normalize/artifact.js';
import { toRating } from '../../normalize/cvss.js';
import type { Surroundings } from '../../normalize/json-format.js';
import type { ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { BrokenRecord, numberAt, objectAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { ecosystemOf, type RowContext } from './row.js';

/** What stands around the vulnerabilities of a report of the command line. */
export interface ScannedContext extends RowContext {
  metadata: JsonObject | undefined;
  surroundings: Surroundings;
}

/** Turns one vulnerability that the command line's scanner found into its rule (the first time) and its observation. */
export function readScanned(
  record: JsonObject,
  { indices, position }: JsonValueItem,
  context: ScannedContext,
  items: ReportItems,
): ImportItem[] {
  const { metadata, surroundings, options } = context;
  const near = (name: string): string | undefined => surroundings.textNear(`result.packages[*].${name}`, indices);
  const id = requireText(record, 'name');
  const name = near('name');
  if (name === undefined) throw new BrokenRecord('the name of the package is missing');
  const image = textAt(metadata, 'pullString') ?? options.artifact ?? textAt(metadata, 'imageId') ?? 'image';
  const os = textAt(metadata, 'baseOs');
  const cvss = objectAt(record, 'cvssScore');
  const rating = objectAt(cvss, 'value') ?? cvss;
  const [fix, path] = [textAt(record, 'fixedInVersion') ?? near('suggestedFix'), near('path')];
  const place = context.places.get(image) ?? imagePlace(image, options, { image_id: textAt(metadata, 'imageId'), os });
  context.places.set(image, place);
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
      package: { name, version: near('version'), ecosystem: ecosystemOf(near('type'), os), paths: path === undefined ? [] : [path] },
      place,
      title: `${id} in ${name}`,
      evidence: { exploit_available: record['exploitable'] === true ? true : undefined, image_digest: textAt(metadata, 'digest') },
      position,
    },
    items,
  );
}
