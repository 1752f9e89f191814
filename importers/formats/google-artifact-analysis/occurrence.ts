import { imagePlace } from '../../normalize/artifact.js';
import { toRating } from '../../normalize/cvss.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { numberAt, objectAt, objectsAt, requireObject, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What the occurrences of a report share. */
export interface OccurrenceContext {
  /** The image that the report describes, by its digest. */
  image: string | undefined;
  options: ImportOptions;
  places: Map<string, PlaceDraft>;
}

/** Turns one occurrence into its rule (the first time) and an observation of each package that it names. */
export function readOccurrence(record: JsonObject, item: JsonValueItem, context: OccurrenceContext, items: ReportItems): ImportItem[] {
  const kind = textAt(record, 'kind');
  if (kind !== undefined && kind !== 'VULNERABILITY') return [];
  const found = requireObject(record, 'vulnerability');
  const id = requireText(record, 'noteName').split('/').at(-1) as string;
  const vector = vectorOf(textAt(found, 'longDescription'));
  const v3 = objectAt(found, 'cvssv3') ?? objectAt(found, 'cvssV3');
  const score = numberAt(v3, 'baseScore') ?? numberAt(found, 'cvssScore');
  const place = placeOf(requireText(record, 'resourceUri'), context);
  const packages = objectsAt(found, 'packageIssue');
  return packages.flatMap((issue) => {
    const fixed = versionOf(objectAt(issue, 'fixedVersion'));
    const location = objectsAt(issue, 'fileLocation').flatMap((file) => textAt(file, 'filePath') ?? []);
    const name = requireText(issue, 'affectedPackage', 'vulnerability.packageIssue[].affectedPackage');
    return vulnerabilityItems(
      {
        source: 'google_artifact_analysis',
        advisory: {
          id,
          aliases: /^CVE-/.test(textAt(found, 'shortDescription') ?? '') ? [textAt(found, 'shortDescription') as string] : [],
          description: vector === undefined ? textAt(found, 'longDescription') : undefined,
          // the distribution's word, which may differ from package to package
          severity:
            severityOf(textAt(issue, 'effectiveSeverity')) ??
            severityOf(textAt(found, 'effectiveSeverity')) ??
            severityOf(textAt(found, 'severity')),
          ratings: [score === 0 ? undefined : toRating(score, vector, { version: v3 === undefined ? undefined : '3.1', source: 'nvd' })],
          urls: objectsAt(found, 'relatedUrls').map((related) => textAt(related, 'url')),
          fixedVersions: fixed === undefined ? [] : [fixed],
        },
        package: {
          name,
          version: versionOf(objectAt(issue, 'affectedVersion')),
          ecosystem: ecosystemOf(issue),
          paths: location,
        },
        place,
        evidence: {
          occurrence: textAt(record, 'name'),
          fix_available: issue['fixAvailable'] === true,
          fixed_package: textAt(issue, 'fixedPackage'),
          cpe: textAt(issue, 'affectedCpeUri'),
          seen_at: textAt(record, 'updateTime'),
        },
        position: item.position,
      },
      items,
    );
  });
}

/** Google has no image but by its digest; a tag is the caller's to name. */
function placeOf(uri: string, { options, places }: OccurrenceContext): PlaceDraft {
  const known = places.get(uri);
  if (known !== undefined) return known;
  const name = uri.replace(/^https?:\/\//, '');
  const place = imagePlace(options.artifact ?? name, options, { image_digests: [name] });
  places.set(uri, place);
  return place;
}

const severityOf = (word: string | undefined) => (word?.toUpperCase() === 'MINIMAL' ? 'info' : toSeverity(word));

/** `NORMAL` versions have a name; `MAXIMUM` stands for a fix that there is none of, `MINIMUM` for any version. */
function versionOf(version: JsonObject | undefined): string | undefined {
  const kind = textAt(version, 'kind');
  if (version === undefined || kind === 'MAXIMUM' || kind === 'MINIMUM') return undefined;
  const [name, revision] = [textAt(version, 'name'), textAt(version, 'revision')];
  const epoch = numberAt(version, 'epoch') ?? 0;
  const full = textAt(version, 'fullName');
  if (full !== undefined || name === undefined) return full;
  return `${epoch > 0 ? `${epoch}:` : ''}${name}${revision === undefined ? '' : `-${revision}`}`;
}

/** `OS` packages are of the distribution that their CPE names: `cpe:/o:debian:debian_linux:12`. */
function ecosystemOf(issue: JsonObject): string | undefined {
  const type = textAt(issue, 'packageType');
  if (type !== undefined && type !== 'OS') return type.toLowerCase();
  return /^cpe:(?:\/|2\.3:)o:([^:]+):/.exec(textAt(issue, 'affectedCpeUri') ?? '')?.[1];
}

const vectorOf = (text: string | undefined): string | undefined => /CVSS:3\.\d(?:\/[A-Z]{1,3}:[A-Z])+/.exec(text ?? '')?.[0];
