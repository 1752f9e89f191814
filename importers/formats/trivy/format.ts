import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { readJson } from '../../readers/json/records.js';
import { withDocuments } from '../../normalize/documents.js';
import { imageItems } from '../../normalize/image-asset.js';
import { ReportItems, safeId, type PlaceDraft } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { checkHead } from '../../normalize/report-head.js';
import { timeAt } from '../../normalize/report-time.js';
import { TRIVY_RECORDS, readTrivyContext, trivyPlace, trivyResults, type TrivyContext, type TrivyImage } from './context.js';
import { readTrivyRecord } from './finding.js';
import { readFirst } from './first-pass.js';
import { packageItems } from './packages.js';
import { trivyResource } from './place.js';
import { NotOfFormat, type ImportItem, type ReportFormat, type ImportOptions } from '../../types.js';

function isTrivy(outline: JsonOutline): boolean {
  const has = (path: string) => outline.has(path);
  if (has('ClusterName'))
    return ['Resources', 'Findings', 'Vulnerabilities', 'Misconfigurations'].some(has) || (outline.size <= 4 && has('!'));
  if (has('ArtifactName') && has('ArtifactType')) return has('SchemaVersion') || has('Results') || has('Metadata');
  if (has('SchemaVersion') && (has('ArtifactName') || has('Trivy.Version'))) return true;
  return ['Results[].', '[].'].some(
    (at) =>
      has(`${at}Target`) &&
      (has(`${at}Vulnerabilities`) || has(`${at}Misconfigurations`) || has(`${at}Secrets`) || has(`${at}Class`) || has(`${at}Packages`)),
  );
}

const HEAD = {
  expected: 'a Trivy report ({"ArtifactName": ..., "Results": [...]}, {"ClusterName": ..., "Resources": [...]} or an array of results)',
  roots: ['array', 'object'] as const,
  detect: isTrivy,
  markers: ['Results', 'Resources', 'ArtifactName', 'ClusterName', '[].Target', '[].Vulnerabilities'],
  elements: ['!', '[]!'],
};

const PACKAGE_CLASSES = new Set(['os-pkgs', 'lang-pkgs']);

/** The artifact whose packages were looked at, vulnerable or not. What other scanners of Trivy ran, an empty report does not tell. */
function coverageOf(context: TrivyContext, options: ImportOptions): ImportItem[] {
  const result = [...context.results.values()].find((one) => PACKAGE_CLASSES.has(one.class ?? ''));
  if (result === undefined || context.cluster !== undefined || context.artifactName === undefined) return [];
  const { artifact, resource_uid, account_id } = trivyResource('Vulnerabilities', {}, result, undefined, context, options);
  return [
    { kind: 'scope', scope: { engine: 'vulnerability', artifact: safeId(artifact ?? resource_uid), ...(account_id && { account_id }) } },
  ];
}

/** The images that were looked into, each once. */
function* imagesOf(context: TrivyContext, options: ImportOptions): Generator<ImportItem> {
  const images = new Map<string, { place: PlaceDraft; image: TrivyImage | undefined; packages: number }>();
  for (const { result, workload } of trivyResults(context)) {
    if (!PACKAGE_CLASSES.has(result.class ?? '')) continue;
    const place = trivyResource('Vulnerabilities', {}, result, workload, context, options);
    if (place.resource_type !== 'container_image') continue;
    const known = images.get(place.resource_uid);
    const packages = (known?.packages ?? 0) + (result.packages ?? 0);
    images.set(place.resource_uid, { place, image: workload ? workload.image : context.image, packages });
  }
  for (const { place, image, packages } of images.values())
    yield* imageItems(
      place,
      { digests: image?.digests, system: image?.os, packages, made_at: image?.created, labels: image?.labels },
      NAME,
    );
}

const NAME = 'trivy';

const one: ReportFormat = {
  name: NAME,
  label: 'Trivy JSON',
  engines: ['vulnerability', 'container-security', 'check', 'secops', 'di'],
  detection: 'A JSON object with ArtifactName or ClusterName and `Results` or `Resources`, or an array of results with `Target`.',
  produce: 'trivy image --format json --output report.json registry.example.com/app:1.0',
  detect: (head) => isTrivy(outlineJson(head)),
  outsideClouds: true,
  observedAt: timeAt('CreatedAt'),
  async *read(source, options) {
    const isKnown = await checkHead(source, HEAD);
    const context = await readTrivyContext(source);
    if (!isKnown && !context.hasLists && !context.hasMembers && !context.truncated && !context.isList) {
      throw new NotOfFormat(`expected ${HEAD.expected}, found neither`);
    }
    yield* coverageOf(context, options);
    yield* imagesOf(context, options);
    const first = await readFirst(source, context, options);
    const items = new ReportItems();
    yield* importRecords(readJson(source, TRIVY_RECORDS), (record, item) =>
      readTrivyRecord(record, trivyPlace(context, item), context, first, options, items),
    );
    yield* packageItems(source, context, options);
  },
};

/**
 * Trivy's JSON report (`--format json`): of images, file systems and repositories, of clusters (`trivy k8s`), the bare array of results of versions
 * before 0.20, and several reports in an array or a line each. Each vulnerability, misconfiguration, secret and license is one record.
 */
export const format = withDocuments(one, (outline) => outline.has('[].ArtifactName') && outline.has('[].ArtifactType'));
