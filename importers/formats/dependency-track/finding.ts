import { codePlace } from '../../normalize/artifact.js';
import { toRating } from '../../normalize/cvss.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { toSeverity } from '../../normalize/severity.js';
import { member, numberAt, objectAt, objectsAt, requireObject, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What the findings of a report share. */
export interface DependencyTrackContext {
  project: JsonObject | undefined;
  options: ImportOptions;
  places: Map<string, PlaceDraft>;
}

/** What an analyst has decided is no open vulnerability. */
const CLOSED = new Set(['FALSE_POSITIVE', 'NOT_AFFECTED', 'RESOLVED']);

/** Turns one finding into its rule (the first time) and its observation; what was suppressed or ruled out gives nothing. */
export function readTrackedFinding(
  record: JsonObject,
  { position }: JsonValueItem,
  context: DependencyTrackContext,
  items: ReportItems,
): ImportItem[] {
  const component = requireObject(record, 'component');
  const vulnerability = requireObject(record, 'vulnerability');
  const id = requireText(vulnerability, 'vulnId', 'vulnerability.vulnId');
  const name = requireText(component, 'name', 'component.name');
  const analysis = objectAt(record, 'analysis');
  const state = textAt(analysis, 'state');
  if (member(analysis, 'isSuppressed') === true || CLOSED.has(state ?? '')) return [];
  const group = textAt(component, 'group');
  const purl = textAt(component, 'purl');
  const attribution = objectAt(record, 'attribution');
  const source = textAt(vulnerability, 'source');
  const epss = numberAt(vulnerability, 'epssScore');
  const rated = (version: string, at: string) =>
    toRating(
      numberAt(vulnerability, `cvss${at}BaseScore`) ?? numberAt(vulnerability, `cvss${at}Score`),
      textAt(vulnerability, `cvss${at}Vector`),
      {
        version,
        source,
      },
    );
  return vulnerabilityItems(
    {
      source: 'dependency_track',
      advisory: {
        id,
        aliases: objectsAt(vulnerability, 'aliases').flatMap((alias) => Object.keys(alias).flatMap((key) => textAt(alias, key) ?? [])),
        title: textAt(vulnerability, 'title'),
        description: textAt(vulnerability, 'description') ?? textAt(vulnerability, 'subtitle'),
        severity: toSeverity(textAt(vulnerability, 'severity')),
        ratings: [rated('4.0', 'V4'), rated('3.1', 'V3'), rated('2.0', 'V2')],
        cwes: [
          ...objectsAt(vulnerability, 'cwes').map((cwe) => `CWE-${textAt(cwe, 'cweId') ?? ''}`),
          `CWE-${textAt(vulnerability, 'cweId') ?? ''}`,
        ],
        guidance: textAt(vulnerability, 'recommendation'),
        fixedVersions: objectsAt(vulnerability, 'affectedVersions').flatMap((range) => fixOf(range, purl)),
        urls: [textAt(attribution, 'referenceUrl')],
        epss: epss === undefined ? undefined : { score: epss, percentile: numberAt(vulnerability, 'epssPercentile') },
        publishedAt: textAt(vulnerability, 'published'),
      },
      package: {
        name: group === undefined ? name : `${group}${purl?.startsWith('pkg:maven') === true ? ':' : '/'}${name}`,
        version: textAt(component, 'version'),
        purl,
      },
      place: placeOf(component, context),
      evidence: {
        database: source,
        cpe: textAt(component, 'cpe'),
        latest_version: textAt(component, 'latestVersion'),
        analysis_state: state,
        analysis_detail: textAt(analysis, 'detail') ?? textAt(analysis, 'details'),
        analyzer: textAt(attribution, 'analyzerIdentity'),
        attributed_on: textAt(attribution, 'attributedOn'),
      },
      position,
    },
    items,
  );
}

/** The end of a range of the component's own package, where it is not in it. */
function fixOf(range: JsonObject, purl: string | undefined): string[] {
  const [identity, end] = [textAt(range, 'identity'), textAt(range, 'versionEndExcluding')];
  return end !== undefined && identity !== undefined && purl?.startsWith(identity) === true ? [end] : [];
}

/** The project: of the file, else the one that the finding names. */
function placeOf(component: JsonObject, { project, options, places }: DependencyTrackContext): PlaceDraft {
  const named = textAt(project, 'name') ?? textAt(component, 'projectName') ?? textAt(component, 'project');
  const key = named ?? '';
  const known = places.get(key);
  if (known !== undefined) return known;
  const place = codePlace({ project: named }, options);
  const version = textAt(project, 'version') ?? textAt(component, 'projectVersion');
  const created = { ...place, provider_metadata: { ...place.provider_metadata, project_version: version } };
  places.set(key, created);
  return created;
}
