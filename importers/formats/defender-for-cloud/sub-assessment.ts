import { imagePlace } from '../../normalize/artifact.js';
import { cloudItems } from '../../normalize/cloud-finding.js';
import { toRating } from '../../normalize/cvss.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import { findCves } from '../../normalize/taxonomy.js';
import { compact, member, numberAt, objectAt, objectsAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { resultOf } from './assessment.js';
import { assessedPlace } from './place.js';

/** What assessments found is listed apart from them: neither list closes what the other tells. */
const SOURCE = 'defender for cloud findings';

/** Turns what an assessment found in a resource into its rule (the first time) and its observation: a vulnerability, or a failed check. */
export function readSubAssessment(
  record: JsonObject,
  properties: JsonObject,
  position: string,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  const status = objectAt(properties, 'status');
  const result = resultOf(textAt(status, 'code'));
  if (result === undefined) return [];
  const data = objectAt(properties, 'additionalData');
  const details = objectAt(data, 'vulnerabilityDetails');
  const id = textAt(properties, 'id') ?? textAt(record, 'name') ?? '';
  const title = textAt(properties, 'displayName') ?? id;
  const cves = findCves([
    id,
    textAt(details, 'cveId') ?? '',
    title,
    ...objectsAt(data, 'cve').flatMap((cve) => textAt(cve, 'title') ?? []),
  ]);
  const severity = toSeverity(textAt(status, 'severity')) ?? toSeverity(textAt(details, 'severity')) ?? 'medium';
  const place = assessedPlace(record, properties, options);
  const links = [...objectsAt(data, 'cve'), ...objectsAt(data, 'vendorReferences'), ...objectsAt(details, 'references')].map((link) =>
    textAt(link, 'link'),
  );
  const evidence = compact({
    sub_assessment_id: textAt(record, 'id'),
    kind: textAt(data, 'assessedResourceType'),
    category: textAt(properties, 'category'),
    impact: textAt(properties, 'impact'),
    threat: textAt(data, 'threat'),
    patchable: member(data, 'patchable'),
    detected_at: textAt(properties, 'timeGenerated'),
  });
  const description = textAt(properties, 'description');
  const guidance = textAt(properties, 'remediation');
  if (cves.length === 0) {
    const isDatabase = /^Sql/i.test(textAt(data, 'assessedResourceType') ?? '');
    return cloudItems(
      {
        source: SOURCE,
        engine: isDatabase ? 'dbsec' : 'check',
        ruleId: id === '' ? title : id,
        title,
        description,
        severity,
        result,
        place,
        guidance,
        urls: links,
        evidence,
        position,
      },
      items,
    );
  }
  const software = objectAt(data, 'softwareDetails');
  const name = textAt(software, 'packageName') ?? textAt(data, 'packageName') ?? title;
  const fixed = textAt(software, 'fixedVersion');
  const { hasRegion: _hasRegion, ...resource } = place;
  return vulnerabilityItems(
    {
      source: SOURCE,
      advisory: {
        id: cves[0] as string,
        aliases: cves,
        title: cves.includes(title) ? undefined : title,
        description,
        severity,
        ratings: ratingsOf(objectAt(data, 'cvss') ?? objectAt(details, 'cvss')),
        cwes: objectsAt(objectAt(details, 'weaknesses'), 'cwe').flatMap((cwe) => textAt(cwe, 'id') ?? []),
        urls: links,
        fixedVersions: fixed === undefined ? [] : [fixed],
        guidance,
        publishedAt: textAt(details, 'publishedDate') ?? textAt(data, 'publishedTime'),
        modifiedAt: textAt(details, 'lastModifiedDate'),
      },
      package: {
        name,
        version: textAt(software, 'version'),
        ecosystem: textAt(software, 'language') ?? textAt(objectAt(software, 'osDetails'), 'osPlatform'),
        paths: textsAt(objectAt(software, 'packageEvidence'), 'paths'),
      },
      place: imageOf(data, options) ?? resource,
      result,
      evidence,
      position,
    },
    items,
  );
}

/** The image that a registry's finding is on, by its name. */
function imageOf(data: JsonObject | undefined, options: ImportOptions): PlaceDraft | undefined {
  const artifact = objectAt(data, 'artifactDetails') ?? data;
  const repository = textAt(artifact, 'repositoryName');
  if (repository === undefined) return undefined;
  const host = textAt(artifact, 'registryHost');
  const digest = textAt(artifact, 'digest') ?? textAt(artifact, 'imageDigest');
  const tag = textsAt(artifact, 'tags')[0];
  const name = `${host === undefined ? '' : `${host}/`}${repository}`;
  return imagePlace(tag !== undefined ? `${name}:${tag}` : digest !== undefined ? `${name}@${digest}` : name, options, compact({ digest }));
}

/** `{"3.0": {"base": 9.8, "cvssVectorString": ...}}`. */
const ratingsOf = (cvss: JsonObject | undefined) =>
  Object.keys(cvss ?? {}).map((version) => {
    const rating = objectAt(cvss, version);
    return toRating(numberAt(rating, 'base'), textAt(rating, 'cvssVectorString'), { version });
  });
