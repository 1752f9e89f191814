import { configurationItems } from '../../normalize/configuration-finding.js';
import type { CvssRating } from '../../normalize/cvss.js';
import type { ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { secretItems } from '../../normalize/secret-finding.js';
import { toSeverity } from '../../normalize/severity.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { BrokenRecord, member, numberAt, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { readControl } from './compliance.js';
import { BILL_COMPONENTS, type OperatorReport, type OperatorReports } from './context.js';
import { billComponent } from './sbom.js';

/** Kinds of checks that the operator makes apart from each other: a list of one says nothing of the others. */
const SOURCES: readonly (readonly [RegExp, string])[] = [
  [/^(?:Cluster)?RbacAssessmentReport$/, 'trivy_operator_rbac'],
  [/^(?:Cluster)?InfraAssessmentReport$/, 'trivy_operator_infra'],
];

/** Turns one record into its rule (the first time) and its observation. */
export function readOperatorRecord(record: JsonObject, item: JsonValueItem, reports: OperatorReports, items: ReportItems): ImportItem[] {
  if (item.path.endsWith(BILL_COMPONENTS)) return billComponent(record, item, reports);
  const report = reports.at(item.path, item.indices, item.names);
  if (item.path.endsWith('vulnerabilities[*]')) return vulnerability(record, item.position, report, items);
  if (item.path.endsWith('secrets[*]')) return secret(record, item.position, report, items);
  if (item.path.endsWith('checks[*]')) return check(record, item.position, report, items);
  return readControl(record, item.position, report, items);
}

function vulnerability(record: JsonObject, position: string, report: OperatorReport, items: ReportItems): ImportItem[] {
  const id = requireText(record, 'vulnerabilityID');
  const name = requireText(record, 'resource');
  const fixed = textAt(record, 'fixedVersion');
  const path = textAt(record, 'packagePath') ?? textAt(record, 'target');
  return vulnerabilityItems(
    {
      source: 'trivy_operator',
      advisory: {
        id,
        title: textAt(record, 'title'),
        description: textAt(record, 'description'),
        severity: toSeverity(textAt(record, 'severity')),
        ratings: ratingsOf(record),
        urls: [textAt(record, 'primaryLink'), ...textsAt(record, 'links')],
        fixedVersions: fixed?.split(/,\s*/) ?? [],
        publishedAt: textAt(record, 'publishedDate'),
        modifiedAt: textAt(record, 'lastModifiedDate'),
      },
      package: {
        name,
        version: textAt(record, 'installedVersion'),
        ecosystem: textAt(record, 'packageType') ?? textAt(report.image?.provider_metadata, 'os'),
        purl: textAt(record, 'packagePURL'),
        paths: path === undefined ? [] : [path],
      },
      place: report.image ?? report.object,
      evidence: {
        package_class: textAt(record, 'class'),
        container: report.container,
        workload: report.object.resource_uid,
        scanner_version: textAt(report.scanner, 'version'),
      },
      position,
    },
    items,
  );
}

/** By source since 0.19; before, one score. */
function ratingsOf(record: JsonObject): CvssRating[] {
  const cvss = objectAt(record, 'cvss');
  const ratings = Object.keys(cvss ?? {}).flatMap((source) => {
    const by = objectAt(cvss, source);
    const [v3, v2] = [numberAt(by, 'V3Score'), numberAt(by, 'V2Score')];
    const vector = textAt(by, 'V3Vector');
    return [
      ...(v3 === undefined ? [] : [{ score: v3, vector, version: vector?.startsWith('CVSS:3.1') === true ? '3.1' : '3.0', source }]),
      ...(v2 === undefined ? [] : [{ score: v2, vector: textAt(by, 'V2Vector'), version: '2.0', source }]),
    ];
  });
  const score = numberAt(record, 'score');
  if (ratings.length > 0 || score === undefined) return ratings;
  return [{ score, version: '3.1', source: textAt(record, 'cvsssource') }];
}

/** What matched is not taken, though the operator masks it: it masks what it knows. */
function secret(record: JsonObject, position: string, report: OperatorReport, items: ReportItems): ImportItem[] {
  return secretItems(
    {
      source: 'trivy_operator',
      tool: 'Trivy',
      detector: requireText(record, 'ruleID'),
      severity: toSeverity(textAt(record, 'severity')),
      file: textAt(record, 'target'),
      evidence: { category: textAt(record, 'category'), container: report.container, workload: report.object.resource_uid },
      secrets: [],
      place: report.image ?? report.object,
      position,
    },
    items,
  );
}

function check(record: JsonObject, position: string, report: OperatorReport, items: ReportItems): ImportItem[] {
  const id = textAt(record, 'checkID') ?? textAt(record, 'id') ?? textAt(record, 'title');
  if (id === undefined) throw new BrokenRecord('checkID is missing, and so is title');
  const messages = textsAt(record, 'messages');
  return configurationItems(
    {
      source: SOURCES.find(([kind]) => kind.test(report.kind))?.[1] ?? 'trivy_operator',
      engine: 'container-security',
      ruleId: id,
      title: textAt(record, 'title') ?? id,
      description: textAt(record, 'description'),
      message: messages.length === 0 ? textAt(record, 'message') : messages.join('\n'),
      severity: toSeverity(textAt(record, 'severity')) ?? 'info',
      result: member(record, 'success') === true ? 'PASS' : 'FAIL',
      place: report.object,
      guidance: textAt(record, 'remediation'),
      urls: /^(?:AVD-)?KSV-?\d+$/.test(id) ? [`https://avd.aquasec.com/misconfig/${id.toLowerCase()}`] : [],
      tags: [textAt(record, 'category')],
      evidence: { category: textAt(record, 'category'), scanner_version: textAt(report.scanner, 'version') },
      position,
    },
    items,
  );
}
