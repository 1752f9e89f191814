import { bestCvss, type CvssRating } from '../../normalize/cvss.js';
import {
  BrokenRecord,
  asObject,
  compact,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  requireObject,
  requireText,
  textAt,
  textsAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import { inferProvider, type PlaceDraft, type ReportItems } from '../../normalize/observation.js';
import type { PackagePaths } from '../../normalize/package-paths.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What the matches of a report have in common. */
export interface GrypeContext {
  /** `image`, `directory`, `file`, `sbom-file` ... */
  sourceType: string | undefined;
  target: unknown;
  distro: string | undefined;
  version: string | undefined;
  /** The resource of all matches, once it was asked for. */
  place: PlaceDraft | undefined;
  packages: PackagePaths;
}

/** The members of a match that name its package and where that is. */
export const PACKAGE_MEMBERS = ['artifact.name', 'artifact.version', 'artifact.locations'] as const;

/** Where the package of a match was found, by `PACKAGE_MEMBERS`. */
export function pathsOfPackage(values: JsonObject): { key: string; paths: readonly string[] } {
  return {
    key: `${textAt(values, 'artifact.name') ?? ''}@${textAt(values, 'artifact.version') ?? ''}`,
    paths: pathsOf(values, 'artifact.locations'),
  };
}

const pathsOf = (holder: JsonObject, member: string): string[] =>
  objectsAt(holder, member).flatMap((location) => textAt(location, 'path') ?? textAt(location, 'realPath') ?? []);

/** Turns one match into its rule (the first time) and its observation; throws BrokenRecord naming what is missing. */
export function readGrypeMatch(
  match: JsonObject,
  position: string,
  context: GrypeContext,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  const vulnerability = requireObject(match, 'vulnerability');
  const artifact = requireObject(match, 'artifact');
  const id = requireText(vulnerability, 'id', 'vulnerability.id');
  const name = requireText(artifact, 'name', 'artifact.name');
  const version = textAt(artifact, 'version');
  const related = objectsAt(match, 'relatedVulnerabilities');
  const all = [vulnerability, ...related];
  const ratings = ratingsOf(vulnerability);
  const fix = objectAt(vulnerability, 'fix');
  const exploited = all.flatMap((item) => objectsAt(item, 'knownExploited'));
  const relatedIds = related.flatMap((item) => textAt(item, 'id') ?? []);
  return vulnerabilityItems(
    {
      source: 'grype',
      advisory: {
        id,
        aliases: relatedIds,
        description: all.map((item) => textAt(item, 'description')).find((text) => text !== undefined),
        severity: toSeverity(textAt(vulnerability, 'severity')),
        ratings: bestCvss(ratings) === undefined ? related.flatMap(ratingsOf) : ratings,
        cwes: all.flatMap((item) =>
          listAt(item, 'cwes').flatMap((cwe) => (typeof cwe === 'string' ? cwe : (textAt(asObject(cwe), 'cwe') ?? []))),
        ),
        urls: all.flatMap((item) => [textAt(item, 'dataSource'), ...textsAt(item, 'urls'), ...textsAt(item, 'links')]),
        fixedVersions: [...textsAt(fix, 'versions'), ...textsAt(vulnerability, 'fixedInVersion')],
        epss: highestEpss(all),
        knownExploited: exploited.length > 0,
      },
      package: {
        name,
        version,
        ecosystem: textAt(artifact, 'type'),
        purl: textAt(artifact, 'purl'),
        paths: context.packages.of(`${name}@${version ?? ''}`),
      },
      place: (context.place ??= grypeResource(context, options)),
      title: `${id} in ${name} ${version ?? ''}`,
      evidence: {
        fix_state: textAt(fix, 'state'),
        language: textAt(artifact, 'language'),
        namespace: textAt(vulnerability, 'namespace'),
        related_vulnerabilities: relatedIds,
        advisories: objectsAt(vulnerability, 'advisories').flatMap((advisory) => textAt(advisory, 'id') ?? []),
        risk: numberAt(vulnerability, 'risk'),
        known_exploited: exploited.slice(0, 5).map((item) =>
          compact({
            cve: textAt(item, 'cve'),
            date_added: textAt(item, 'dateAdded'),
            due_date: textAt(item, 'dueDate'),
            ransomware: textAt(item, 'knownRansomwareCampaignUse'),
          }),
        ),
        match_types: [
          ...new Set(objectsAt(match, 'matchDetails').flatMap((detail) => textAt(detail, 'type') ?? textAt(detail, 'matcher') ?? [])),
        ],
        distro: context.distro,
      },
      position,
    },
    items,
  );
}

/** Ratings of a vulnerability: a list since grype 0.13, `cvssV2` and `cvssV3` before. */
function ratingsOf(vulnerability: JsonObject): CvssRating[] {
  const ratings: CvssRating[] = objectsAt(vulnerability, 'cvss').flatMap((cvss) => {
    const score = numberAt(objectAt(cvss, 'metrics'), 'baseScore');
    return score === undefined
      ? []
      : [
          {
            score,
            vector: textAt(cvss, 'vector'),
            version: textAt(cvss, 'version'),
            source: textAt(cvss, 'source') ?? textAt(vulnerability, 'namespace'),
          },
        ];
  });
  for (const [key, version] of [
    ['cvssV2', '2.0'],
    ['cvssV3', '3.0'],
  ] as const) {
    const cvss = objectAt(vulnerability, key);
    const score = numberAt(cvss, 'baseScore');
    if (score !== undefined)
      ratings.push({ score, vector: textAt(cvss, 'vector'), version: /^CVSS:(\d\.\d)/.exec(textAt(cvss, 'vector') ?? '')?.[1] ?? version });
  }
  return ratings;
}

function highestEpss(vulnerabilities: readonly JsonObject[]): { score: number; percentile: number | undefined } | undefined {
  let highest: { score: number; percentile: number | undefined } | undefined;
  for (const epss of vulnerabilities.flatMap((item) => objectsAt(item, 'epss'))) {
    const score = numberAt(epss, 'epss');
    if (score !== undefined && score >= 0 && score <= 1 && score > (highest?.score ?? -1))
      highest = { score, percentile: numberAt(epss, 'percentile') };
  }
  return highest;
}

/** The scanned image by the name it was scanned under, or the directory, file or bill of materials. */
export function grypeResource(context: GrypeContext, options: ImportOptions): PlaceDraft {
  const image = asObject(context.target);
  const path = typeof context.target === 'string' && !/^[./\\]*$/.test(context.target) ? context.target : undefined;
  const isImage = context.sourceType === 'image' || (image !== undefined && textAt(image, 'userInput') !== undefined);
  const imageName = textAt(image, 'userInput') ?? textsAt(image, 'tags')[0] ?? textsAt(image, 'repoDigests')[0] ?? textAt(image, 'imageID');
  const name = isImage ? (imageName ?? options.artifact ?? 'image') : (options.artifact ?? path ?? textAt(image, 'path') ?? 'code');
  if (name.trim() === '') throw new BrokenRecord('source.target names nothing');
  const { provider, provider_metadata } = inferProvider(isImage ? name : undefined, options);
  return {
    resource_uid: name,
    resource_type: isImage ? 'container_image' : 'code_repository',
    resource_name: name,
    provider,
    account_id: options.account_id,
    region: options.region,
    artifact: name,
    provider_metadata: {
      ...provider_metadata,
      image_id: textAt(image, 'imageID'),
      image_digests: textsAt(image, 'repoDigests'),
      manifest_digest: textAt(image, 'manifestDigest'),
    },
  };
}
