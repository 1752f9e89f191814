import { configurationItems } from '../../normalize/configuration-finding.js';
import { computePackages } from '../../normalize/compute-packages.js';
import { toRating } from '../../normalize/cvss.js';
import type { ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { BrokenRecord, member, numberAt, objectAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import type { TwistlockScan, TwistlockScans } from './scan.js';

/** Turns one vulnerability or compliance issue into its rule (the first time) and its observation. */
export function readTwistlockRecord(record: JsonObject, item: JsonValueItem, scans: TwistlockScans, items: ReportItems): ImportItem[] {
  const scan = scans.at(item.path, item.indices);
  return item.path.endsWith('vulnerabilities[*]')
    ? vulnerability(record, item.position, scan, items)
    : compliance(record, item.position, scan, items);
}

function vulnerability(
  record: JsonObject,
  position: string,
  { place, distro, packageTypes }: TwistlockScan,
  items: ReportItems,
): ImportItem[] {
  // the interface numbers its vulnerabilities
  const id = textAt(record, 'cve') ?? textAt(record, 'id');
  const named = textAt(record, 'packageName');
  if (id === undefined || named === undefined) throw new BrokenRecord(`${id === undefined ? 'id' : 'packageName'} is missing`);
  const status = textAt(record, 'status');
  const path = textAt(record, 'packagePath') ?? textAt(record, 'path');
  const version = textAt(record, 'packageVersion');
  const type = textAt(record, 'packageType') ?? packageTypes.get(`${named}@${version}`) ?? typeOfPath(path);
  const ecosystem = ecosystemOf(type, distro);
  const paths = path === undefined ? [] : [path];
  const { names, source } = computePackages(named, type);
  return names.flatMap((name) =>
    vulnerabilityItems(
      {
        source: 'twistlock',
        advisory: {
          id,
          description: textAt(record, 'description'),
          severity: severityOf(record),
          ratings: [toRating(numberAt(record, 'cvss'), textAt(record, 'vector') ?? textAt(record, 'vecStr'), {})],
          urls: [textAt(record, 'link')],
          fixedVersions: fixesOf(status),
          publishedAt: timeOf(record, 'publishedDate') ?? timeOf(record, 'published'),
        },
        package: { name, version, ecosystem, paths },
        place,
        result: /^not affected$/i.test(status ?? '') ? 'PASS' : 'FAIL',
        evidence: {
          status,
          source_package: source,
          risk_factors: riskFactorsOf(record),
          impacted_versions: textsAt(record, 'impactedVersions').slice(0, 50),
          discovered_at: timeOf(record, 'discoveredDate') ?? timeOf(record, 'discovered'),
          fixed_at: timeOf(record, 'fixDate'),
          layer: textAt(record, 'layerTime'),
          os: distro,
        },
        position,
      },
      items,
    ),
  );
}

/** The kind of package by the file that it was found in, where nothing else tells it. */
const typeOfPath = (path: string | undefined): string | undefined => (/\.[jwe]ar$/i.test(path ?? '') ? 'jar' : undefined);

/** `(CIS_Docker_CE_v1.1.0 - 4.6) Add HEALTHCHECK instruction to the container image`. */
function compliance(record: JsonObject, position: string, { place }: TwistlockScan, items: ReportItems): ImportItem[] {
  const whole = textAt(record, 'title') ?? textAt(record, 'description');
  const [, framework, section, title = whole] = /^\(([A-Za-z]\w+?[\w.]*) - ([\w.]+)\)\s*(.+)$/s.exec(whole ?? '') ?? [];
  const id = textAt(record, 'id');
  if (title === undefined) throw new BrokenRecord('title is missing');
  return configurationItems(
    {
      source: 'twistlock',
      engine: 'container-security',
      ruleId: section === undefined ? (id === undefined ? title : `twistlock-${id}`) : `${framework}-${section}`,
      title,
      description: textAt(record, 'description'),
      message: textAt(record, 'cause'),
      severity: severityOf(record),
      result: 'FAIL',
      place,
      controls: framework === undefined || section === undefined ? [] : [{ framework, control_id: section }],
      tags: [textAt(record, 'category')],
      evidence: { check_id: id, category: textAt(record, 'category'), check_type: textAt(record, 'type') },
      position,
    },
    items,
  );
}

const severityOf = (record: JsonObject) =>
  toSeverity(textAt(record, 'severity')) ?? (/^(?:unimportant|end-of-life)$/i.test(textAt(record, 'severity') ?? '') ? 'info' : 'medium');

/** `fixed in 1.2.3, 2.0.1`. */
const fixesOf = (status: string | undefined): string[] => /^fixed in (.+)$/i.exec(status ?? '')?.[1]?.split(/,\s*/) ?? [];

/** Names in a list, or as members of an object. */
function riskFactorsOf(record: JsonObject): string[] {
  const named = textsAt(record, 'riskFactors');
  return named.length > 0 ? named : Object.keys(objectAt(record, 'riskFactors') ?? {});
}

/** Dates of twistcli are texts, those of the interface seconds since 1970. */
function timeOf(record: JsonObject, key: string): string | undefined {
  const value = member(record, key);
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' && value > 0 && value < 1e11 ? new Date(value * 1000).toISOString() : undefined;
}

const ecosystemOf = (type: string | undefined, distro: string | undefined): string | undefined => {
  if (type !== undefined && !/^(?:os|package)$/i.test(type)) return type;
  return type === undefined ? undefined : distro?.split(' ')[0];
};
