import { imagePlace } from '../../normalize/artifact.js';
import { toRating } from '../../normalize/cvss.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import { BrokenRecord, numberAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What is kept between the rows of a report. */
export interface RowContext {
  options: ImportOptions;
  places: Map<string, PlaceDraft>;
}

/** A fact of a row -> its names in reports of the first kind, of 2025, and in CSV. */
const NAMES = {
  id: ['vulnName', 'vuln_id', 'vulnerability id', 'vulnerability name'],
  severity: ['vulnSeverity', 'vuln_severity', 'severity'],
  link: ['vulnLink', 'vuln_link', 'vuln link', 'cve url'],
  score: ['vulnCvssScore', 'vuln_cvss_score', 'cvss score', 'cvss base score'],
  vector: ['vulnCvssVector', 'vuln_cvss_vector', 'cvss vector'],
  cvssVersion: ['vulnCvssVersion', 'vuln_cvss_version', 'cvss version'],
  published: ['vulnDisclosureDate', 'vuln_disclosure_date', 'vuln publish date'],
  fix: ['vulnFixVersion', 'vuln_fixed_in_version', 'fix version', 'vuln fix version'],
  exploit: ['vulnExploitable', 'vuln_has_exploit', 'public exploit'],
  package: ['packageName', 'scan_package_name', 'package name'],
  version: ['packageVersion', 'scan_package_version', 'package version'],
  type: ['packageType', 'scan_package_type', 'package type'],
  path: ['packagePath', 'scan_package_path', 'package path'],
  image: ['imagePullString', 'container_image', 'image', 'image name'],
  imageId: ['imageId', 'container_image_id', 'image id'],
  os: ['osName', 'container_image_distro', 'os name'],
  cluster: ['k8sClusterName', 'kubernetes_cluster_name', 'k8s cluster name'],
  namespace: ['k8sNamespaceName', 'kubernetes_namespace_name', 'k8s namespace name'],
  workloadType: ['k8sWorkloadType', 'kubernetes_workload_type', 'k8s workload type'],
  workload: ['k8sWorkloadName', 'kubernetes_workload_name', 'k8s workload name'],
  container: ['k8sPodContainerName', 'kubernetes_pod_container_name', 'k8s container name'],
  inUse: ['inUse', 'package_in_use', 'in use'],
} as const;

/** Turns one row into its rule (the first time) and its observation; an image that several workloads run is looked at once. */
export function readSysdigRow(record: JsonObject, position: string, { options, places }: RowContext, items: ReportItems): ImportItem[] {
  const get = (name: keyof typeof NAMES): string | undefined => {
    const key = NAMES[name].find((one) => textAt(record, one) !== undefined || record[one] === true);
    return key === undefined ? undefined : (textAt(record, key) ?? 'true');
  };
  const [id, name] = [get('id'), get('package')];
  if (id === undefined || name === undefined)
    throw new BrokenRecord(`the name of the ${id === undefined ? 'vulnerability' : 'package'} is missing`);
  const [path, fix] = [get('path'), get('fix')];
  const image = get('image') ?? options.artifact ?? get('imageId') ?? get('workload') ?? 'image';
  const place = places.get(image) ?? imagePlace(image, options, { image_id: get('imageId'), os: get('os') });
  places.set(image, place);
  return vulnerabilityItems(
    {
      source: 'sysdig',
      advisory: {
        id,
        severity: toSeverity(get('severity')),
        ratings: [toRating(numberOf(get('score')), get('vector'), { version: get('cvssVersion') })],
        urls: [get('link')],
        fixedVersions: fix === undefined ? [] : [fix],
        publishedAt: get('published'),
      },
      package: { name, version: get('version'), ecosystem: ecosystemOf(get('type'), get('os')), paths: path === undefined ? [] : [path] },
      place,
      evidence: {
        exploit_available: get('exploit'),
        in_use: get('inUse'),
        cluster: get('cluster'),
        namespace: get('namespace'),
        workload: [get('workloadType'), get('workload')].filter((part) => part !== undefined).join('/') || undefined,
        container: get('container'),
      },
      position,
    },
    items,
  );
}

/** Packages of the `os` are of its distribution: `ubuntu 14.04`. */
export const ecosystemOf = (type: string | undefined, os: string | undefined): string | undefined =>
  type?.toLowerCase() === 'os' ? os?.split(' ')[0] : type?.toLowerCase();

const numberOf = (text: string | undefined): number | undefined => numberAt({ text }, 'text');
