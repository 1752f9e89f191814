import { BrokenRecord, compact, member, numberAt, objectAt, objectsAt, requireText, textAt, textsAt, type JsonObject } from './json-fields.js';
import { bestCvss, type CvssRating } from './cvss.js';
import { toReferences, type ReportItems } from './observation.js';
import { severityOfScore, toSeverity } from './severity.js';
import { cweControls, findCwes } from './taxonomy.js';
import type { TrivyContext, TrivyKind, TrivyResult, TrivyWorkload } from './trivy-context.js';
import { trivyResource, type TrivyResource } from './trivy-place.js';
import type { ImportItem, ImportOptions, RuleInput } from './types.js';

const MAX_LINES = 40;

/** Where a record stands in its report. */
export interface TrivyRecordPlace {
  kind: TrivyKind;
  result: TrivyResult;
  workload: TrivyWorkload | undefined;
  position: string;
}

/** Turns one vulnerability, misconfiguration, secret or license of Trivy into its rule (the first time) and its observation. */
export function readTrivyRecord(record: JsonObject, place: TrivyRecordPlace, context: TrivyContext, options: ImportOptions, items: ReportItems): ImportItem[] {
  const resource = trivyResource(place.kind, record, place.result, place.workload, context, options);
  switch (place.kind) {
    case 'Vulnerabilities':
      return vulnerability(record, place, resource, items);
    case 'Misconfigurations':
      return misconfiguration(record, place, resource, items);
    case 'Secrets':
      return secret(record, place, resource, items);
    default:
      return license(record, place, resource, items);
  }
}

function withRule(items: ReportItems, rule: RuleInput, observation: ImportItem): ImportItem[] {
  return items.isNewRule(rule.rule_id) ? [items.rule(rule), observation] : [observation];
}

function vulnerability(record: JsonObject, { result, position }: TrivyRecordPlace, resource: TrivyResource, items: ReportItems): ImportItem[] {
  const id = requireText(record, 'VulnerabilityID');
  const name = requireText(record, 'PkgName');
  const version = textAt(record, 'InstalledVersion') ?? '';
  const path = textAt(record, 'PkgPath') ?? (result.class === 'lang-pkgs' ? result.target : undefined);
  const best = bestCvss(ratingsOf(objectAt(record, 'CVSS')));
  const severity = toSeverity(textAt(record, 'Severity')) ?? (best === undefined ? 'info' : severityOfScore(best.score));
  const fixed = textAt(record, 'FixedVersion');
  const cwes = findCwes(textsAt(record, 'CweIDs'));
  const about = {
    description: textAt(record, 'Description'),
    references: toReferences([textAt(record, 'PrimaryURL'), ...textsAt(record, 'References')]),
    controls: cweControls(cwes),
  };
  const title = textAt(record, 'Title') ?? `${id} in ${name}`;
  const observation = items.observation({
    ...resource,
    ...about,
    engine: 'vulnerability',
    result: textAt(record, 'Status') === 'not_affected' ? 'PASS' : 'FAIL',
    rule_id: id,
    title,
    severity,
    discriminator: [name, version, ...(path === undefined ? [] : [path])].join('@'),
    cvss: best?.score,
    remediation: { guidance: fixed === undefined ? undefined : `Update ${name} from ${version} to ${fixed}.` },
    evidence: {
      package: name,
      installed_version: version,
      fixed_version: fixed,
      path,
      target: result.target,
      package_type: result.type,
      package_class: result.class,
      purl: textAt(objectAt(record, 'PkgIdentifier'), 'PURL'),
      status: textAt(record, 'Status'),
      severity_source: textAt(record, 'SeveritySource'),
      vendor_ids: textsAt(record, 'VendorIDs'),
      cvss_vector: best?.vector,
      cvss_source: best?.source,
      cwes,
      layer: textAt(objectAt(record, 'Layer'), 'DiffID') ?? textAt(objectAt(record, 'Layer'), 'Digest'),
      published_at: textAt(record, 'PublishedDate'),
      modified_at: textAt(record, 'LastModifiedDate'),
    },
    position,
    content: `${result.target ?? ''}\n${textAt(objectAt(record, 'PkgIdentifier'), 'UID') ?? ''}`,
  });
  return withRule(items, { ...about, rule_id: id, engine: 'vulnerability', title: textAt(record, 'Title') ?? id, severity, source: 'trivy' }, observation);
}

function ratingsOf(cvss: JsonObject | undefined): CvssRating[] {
  return Object.keys(cvss ?? {}).flatMap((source) => {
    const by = objectAt(cvss, source);
    return ([['V40', '4.0'], ['V3', undefined], ['V2', '2.0']] as const).flatMap(([prefix, version]) => {
      const score = numberAt(by, `${prefix}Score`);
      const vector = textAt(by, `${prefix}Vector`);
      return score === undefined ? [] : [{ score, vector, version: version ?? /^CVSS:(3\.\d)/.exec(vector ?? '')?.[1] ?? '3.0', source }];
    });
  });
}

function misconfiguration(record: JsonObject, { result, position }: TrivyRecordPlace, resource: TrivyResource, items: ReportItems): ImportItem[] {
  const id = textAt(record, 'ID') ?? textAt(record, 'AVDID');
  if (id === undefined) throw new BrokenRecord('ID is missing, and so is AVDID');
  const status = textAt(record, 'Status')?.toUpperCase() ?? 'FAIL';
  if (status !== 'FAIL' && status !== 'PASS') return [];
  const cause = objectAt(record, 'CauseMetadata');
  const engine = /terraform|cloudformation|azure|arm/.test(result.type ?? '') ? 'check' : 'container-security';
  const title = textAt(record, 'Title') ?? id;
  const message = textAt(record, 'Message');
  const about = {
    severity: toSeverity(textAt(record, 'Severity')) ?? ('info' as const),
    description: textAt(record, 'Description'),
    remediation: { guidance: textAt(record, 'Resolution') },
    references: toReferences([textAt(record, 'PrimaryURL'), ...textsAt(record, 'References')]),
  };
  // A passed check has another message: it closes by the place alone.
  const what = [result.target, textAt(cause, 'Resource'), ...(status === 'FAIL' ? [message] : [])];
  const observation = items.observation({
    ...resource,
    ...about,
    engine,
    result: status,
    rule_id: id,
    title,
    discriminator: what.filter((part) => part !== undefined).join('|'),
    service: textAt(cause, 'Service'),
    evidence: {
      message,
      file: result.target,
      file_type: result.type,
      start_line: numberAt(cause, 'StartLine'),
      end_line: numberAt(cause, 'EndLine'),
      resource: textAt(cause, 'Resource'),
      cause_provider: textAt(cause, 'Provider'),
      avd_id: textAt(record, 'AVDID'),
      check_type: textAt(record, 'Type'),
      namespace: textAt(record, 'Namespace'),
      snippet: codeOf(cause),
      status,
    },
    position,
    content: `${status}\n${message ?? ''}\n${numberAt(cause, 'StartLine') ?? ''}:${numberAt(cause, 'EndLine') ?? ''}`,
  });
  return withRule(items, { ...about, rule_id: id, engine, title, resource_type: resource.resource_type, source: 'trivy', tags: compactTexts(textAt(record, 'Type')) }, observation);
}

function codeOf(cause: JsonObject | undefined): string | undefined {
  const lines = objectsAt(objectAt(cause, 'Code'), 'Lines').slice(0, MAX_LINES);
  return lines.length === 0 ? undefined : lines.map((line) => `${numberAt(line, 'Number') ?? ''}: ${String(member(line, 'Content') ?? '')}`).join('\n');
}

/** Neither the match nor the lines around it are taken: they are where the secret stands. */
function secret(record: JsonObject, { result, position }: TrivyRecordPlace, resource: TrivyResource, items: ReportItems): ImportItem[] {
  const id = requireText(record, 'RuleID');
  const title = textAt(record, 'Title') ?? id;
  const severity = toSeverity(textAt(record, 'Severity')) ?? 'info';
  const startLine = numberAt(record, 'StartLine');
  const guidance = 'Revoke the secret, remove it from the file and its history, and keep its successor in a secret store.';
  const observation = items.observation({
    ...resource,
    engine: 'secops',
    result: 'FAIL',
    rule_id: id,
    title,
    severity,
    discriminator: `${result.target ?? ''}:${startLine ?? ''}`,
    remediation: { guidance },
    evidence: {
      file: result.target,
      start_line: startLine,
      end_line: numberAt(record, 'EndLine'),
      category: textAt(record, 'Category'),
      layer: textAt(objectAt(record, 'Layer'), 'DiffID'),
    },
    position,
    content: `${startLine ?? ''}:${numberAt(record, 'Offset') ?? ''}`,
  });
  return withRule(items, { rule_id: id, engine: 'secops', title, severity, source: 'trivy', remediation: { guidance }, tags: ['secret'] }, observation);
}

function license(record: JsonObject, { result, position }: TrivyRecordPlace, resource: TrivyResource, items: ReportItems): ImportItem[] {
  const name = requireText(record, 'Name');
  const severity = toSeverity(textAt(record, 'Severity')) ?? 'info';
  const ruleId = `license/${name}`;
  const file = textAt(record, 'FilePath');
  const packageName = textAt(record, 'PkgName');
  const title = `License ${name}${packageName === undefined ? '' : ` of ${packageName}`}`;
  const references = toReferences([textAt(record, 'Link')]);
  const observation = items.observation({
    ...resource,
    engine: 'secops',
    result: 'FAIL',
    rule_id: ruleId,
    title,
    severity,
    discriminator: [packageName ?? '', file ?? result.target ?? ''].join('@'),
    references,
    evidence: compact({ license: name, license_category: textAt(record, 'Category'), package: packageName, file, target: result.target, confidence: numberAt(record, 'Confidence') }),
    position,
    content: '',
  });
  return withRule(items, { rule_id: ruleId, engine: 'secops', title: `License ${name}`, severity, source: 'trivy', references, tags: ['license'] }, observation);
}

function compactTexts(...texts: (string | undefined)[]): string[] {
  return texts.filter((text) => text !== undefined);
}
