import { jsonFormat } from '../../normalize/json-format.js';
import { timeAt } from '../../normalize/report-time.js';
import { imageItems } from '../../normalize/image-asset.js';
import { coverage } from '../../normalize/scope.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import { SCANS, TwistlockScans, TWISTLOCK_SURROUNDINGS } from './scan.js';
import { readTwistlockRecord } from './record.js';

const PLACES = ['results[].', '[].', '[].entityInfo.'];
const MARKS = [
  'vulnerabilityDistribution',
  'complianceDistribution',
  'complianceIssues',
  'vulnerabilityScanPassed',
  'complianceScanPassed',
  'repoTag',
];

const isScan = (outline: JsonOutline): boolean =>
  PLACES.some((at) => MARKS.some((name) => outline.has(`${at}${name}`))) ||
  // the packages of a large image fill the beginning
  PLACES.some((at) => outline.has(`${at}distro`) && ['packages', 'vulnerabilities'].some((list) => outline.has(`${at}${list}`))) ||
  outline.has('[].entityInfo._id');

/**
 * Results of twistcli (`images scan`, `hosts scan`), and the lists of scans and images that Prisma Cloud Compute's interface answers. Each
 * vulnerability and each compliance issue is one record.
 */
export const format = jsonFormat<TwistlockScans>({
  name: 'twistlock',
  label: 'Twistlock and Prisma Cloud Compute JSON',
  engines: ['vulnerability', 'container-security', 'di'],
  detection:
    'A JSON object with `results`, or an array, of objects with a `vulnerabilityDistribution`, `complianceDistribution` or `complianceIssues`.',
  produce: 'twistcli images scan --details --output-file report.json registry.example.com/app:1.0',
  outsideClouds: true,
  observedAt: timeAt('results[*].scanTime'),
  expected: 'results of twistcli ({"results": [{"id": ..., "vulnerabilities": [...], "vulnerabilityDistribution": {...}}]})',
  roots: ['object', 'array'],
  isOfFormat: isScan,
  markers: ['results', '[].vulnerabilities', '[].entityInfo', '[].complianceIssues'],
  records: SCANS.flatMap((at) => ['vulnerabilities', 'compliances', 'complianceIssues'].map((list) => `${at}${list}[*]`)),
  around: TWISTLOCK_SURROUNDINGS,
  context: (surroundings, options, source) => TwistlockScans.read(surroundings, options, source),
  covers: (scans) =>
    scans.all.flatMap(({ place, digests, distro: system }) => [
      ...['vulnerability', 'container-security'].map((engine) => coverage(engine, place.resource_uid, 'twistlock', scans.options)),
      ...(place.resource_type === 'container_image' ? imageItems(place, { digests, system }, 'twistlock') : []),
    ]),
  convert: readTwistlockRecord,
});
