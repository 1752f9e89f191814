import type { Severity } from '../../../schema/model.js';
import { codeItems } from '../../normalize/code-finding.js';
import { configurationItems } from '../../normalize/configuration-finding.js';
import { toRating } from '../../normalize/cvss.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { managedBy } from '../../normalize/purl.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { severityOfScore, toSeverity } from '../../normalize/severity.js';
import {
  BrokenRecord,
  numberAt,
  objectAt,
  objectsAt,
  requireObject,
  requireText,
  textAt,
  textsAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { inspectorPlace } from './place.js';

/** One finding, as all kinds of it need it. */
interface Inspected {
  record: JsonObject;
  place: PlaceDraft;
  result: 'FAIL' | 'PASS';
  severity: Severity;
  position: string;
}

/** Turns one finding into its rules (the first time) and an observation of each of its packages and resources. */
export function readInspectorFinding(record: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const type = requireText(record, 'type');
  const status = textAt(record, 'status')?.toUpperCase();
  if (status === 'SUPPRESSED') return [];
  const resources = objectsAt(record, 'resources');
  if (resources.length === 0) throw new BrokenRecord('resources is missing');
  const score = numberAt(record, 'inspectorScore');
  return resources.flatMap((resource) => {
    const inspected: Inspected = {
      record,
      place: inspectorPlace(resource, record, options),
      result: status === 'CLOSED' ? 'PASS' : 'FAIL',
      // while NVD has not rated it, Inspector has no word for it
      severity: toSeverity(textAt(record, 'severity')) ?? (score === undefined ? 'info' : severityOfScore(score)),
      position,
    };
    switch (type) {
      case 'PACKAGE_VULNERABILITY':
        return packages(inspected, items);
      case 'CODE_VULNERABILITY':
        return code(inspected, items);
      case 'NETWORK_REACHABILITY':
        return reachability(inspected, items);
      default:
        throw new BrokenRecord(`the type ${type.slice(0, 60)} is unknown`);
    }
  });
}

function packages({ record, place, result, severity, position }: Inspected, items: ReportItems): ImportItem[] {
  const details = requireObject(record, 'packageVulnerabilityDetails');
  const id = requireText(details, 'vulnerabilityId', 'packageVulnerabilityDetails.vulnerabilityId');
  const epss = numberAt(objectAt(record, 'epss'), 'score');
  const adjusted = objectAt(objectAt(record, 'inspectorScoreDetails'), 'adjustedCvss');
  const affected = objectsAt(details, 'vulnerablePackages');
  return (affected.length === 0 ? [{ name: titlePackage(record) }] : affected).flatMap((one: JsonObject) => {
    const fixed = textAt(one, 'fixedInVersion');
    const path = textAt(one, 'filePath');
    return vulnerabilityItems(
      {
        source: 'inspector2',
        advisory: {
          id,
          aliases: textsAt(details, 'relatedVulnerabilities'),
          description: textAt(record, 'description'),
          severity,
          ratings: objectsAt(details, 'cvss').map((cvss) =>
            toRating(numberAt(cvss, 'baseScore'), textAt(cvss, 'scoringVector'), {
              version: textAt(cvss, 'version'),
              source: textAt(cvss, 'source'),
            }),
          ),
          urls: [textAt(details, 'sourceUrl'), ...textsAt(details, 'referenceUrls')],
          fixedVersions: fixed === undefined || fixed === 'NotAvailable' ? [] : [fixed],
          guidance: textAt(one, 'remediation') ?? recommendation(record),
          epss: epss === undefined ? undefined : { score: epss },
          publishedAt: textAt(details, 'vendorCreatedAt'),
          modifiedAt: textAt(details, 'vendorUpdatedAt'),
        },
        package: {
          name: textAt(one, 'name') ?? 'unknown',
          version: versionOf(one),
          ecosystem: managedBy(textAt(one, 'packageManager'), [textAt(place.provider_metadata, 'platform'), textAt(details, 'source')]),
          paths: path === undefined ? [] : [path],
        },
        place,
        result,
        title: textAt(record, 'title'),
        evidence: {
          finding_arn: textAt(record, 'findingArn'),
          inspector_score: numberAt(record, 'inspectorScore'),
          adjusted_vector: textAt(adjusted, 'scoringVector'),
          fix_available: textAt(record, 'fixAvailable'),
          exploit_available: textAt(record, 'exploitAvailable'),
          last_known_exploit_at: textAt(objectAt(record, 'exploitabilityDetails'), 'lastKnownExploitAt'),
          vendor_severity: textAt(details, 'vendorSeverity'),
          layer: textAt(one, 'sourceLambdaLayerArn') ?? textAt(one, 'sourceLayerHash'),
          architecture: textAt(one, 'arch'),
        },
        position,
      },
      items,
    );
  });
}

function code({ record, place, result, severity, position }: Inspected, items: ReportItems): ImportItem[] {
  const details = requireObject(record, 'codeVulnerabilityDetails');
  const file = objectAt(details, 'filePath');
  const ruleId = textAt(details, 'ruleId') ?? requireText(details, 'detectorId', 'codeVulnerabilityDetails.detectorId');
  return codeItems(
    {
      source: 'inspector2',
      tool: 'Amazon Inspector',
      ruleId,
      title: textAt(details, 'detectorName') ?? textAt(record, 'title') ?? ruleId,
      message: textAt(record, 'description'),
      severity,
      result,
      location: {
        file: textAt(file, 'filePath') ?? textAt(file, 'fileName'),
        startLine: numberAt(file, 'startLine'),
        endLine: numberAt(file, 'endLine'),
      },
      cwes: textsAt(details, 'cwes'),
      tags: textsAt(details, 'detectorTags'),
      urls: textsAt(details, 'referenceUrls'),
      guidance: recommendation(record),
      isSecret: /secret|credential/i.test(`${ruleId} ${textAt(details, 'detectorName') ?? ''}`),
      evidence: { finding_arn: textAt(record, 'findingArn'), layer: textAt(details, 'sourceLambdaLayerArn') },
      place,
      position,
    },
    items,
  );
}

function reachability({ record, place, result, severity, position }: Inspected, items: ReportItems): ImportItem[] {
  const details = requireObject(record, 'networkReachabilityDetails');
  const range = objectAt(details, 'openPortRange');
  const [begin, end] = [numberAt(range, 'begin'), numberAt(range, 'end')];
  const protocol = textAt(details, 'protocol')?.toLowerCase();
  const steps = objectsAt(objectAt(details, 'networkPath'), 'steps').flatMap((step) => textAt(step, 'componentId') ?? []);
  return configurationItems(
    {
      source: 'inspector2',
      engine: 'network-security',
      ruleId: 'inspector2-network-reachability',
      title: textAt(record, 'title') ?? 'A port is reachable from outside of the network',
      description: textAt(record, 'description'),
      severity,
      result,
      place,
      part: `${protocol ?? 'any'}/${begin ?? ''}${end === undefined || end === begin ? '' : `-${end}`}`,
      guidance: recommendation(record),
      evidence: {
        finding_arn: textAt(record, 'findingArn'),
        protocol,
        port: begin === end && Number.isInteger(begin) ? begin : undefined,
        port_range: begin === end ? undefined : `${begin ?? ''}-${end ?? ''}`,
        network_path: steps.slice(0, 50),
      },
      position,
    },
    items,
  );
}

function recommendation(record: JsonObject): string | undefined {
  const text = textAt(objectAt(objectAt(record, 'remediation'), 'recommendation'), 'text');
  return text === undefined || text === 'None Provided' ? undefined : text;
}

/** `CVE-2025-58187 - go/stdlib` names the package where nothing else does. */
const titlePackage = (record: JsonObject): string => /^\S+ - ([^,]+)/.exec(textAt(record, 'title') ?? '')?.[1] ?? 'unknown';

/** As package managers of distributions write it: epoch, version and release in one. */
function versionOf(one: JsonObject): string | undefined {
  const version = textAt(one, 'version');
  const release = textAt(one, 'release');
  const epoch = numberAt(one, 'epoch') ?? 0;
  if (version === undefined) return undefined;
  return `${epoch > 0 ? `${epoch}:` : ''}${version}${release === undefined ? '' : `-${release}`}`;
}
