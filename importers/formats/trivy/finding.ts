import {
  BrokenRecord,
  member,
  numberAt,
  objectAt,
  objectsAt,
  requireText,
  textAt,
  textsAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import { licenseItems } from '../../normalize/package-license.js';
import { toReferences, type ObservationDraft, type PlaceDraft, type ReportItems } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import type { TrivyContext, TrivyRecordPlace } from './context.js';
import { readTrivySecret } from './secret.js';
import type { TrivyFirstPass } from './first-pass.js';
import { trivyRecordResource } from './place.js';
import { readTrivyVulnerability } from './vulnerability.js';
import type { ImportItem, ImportOptions } from '../../types.js';

const MAX_LINES = 40;

/** Turns one vulnerability, misconfiguration, secret or license of Trivy into its rule (the first time) and its observation. */
export function readTrivyRecord(
  record: JsonObject,
  place: TrivyRecordPlace,
  context: TrivyContext,
  { packages, secrets }: TrivyFirstPass,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  const resource = trivyRecordResource(record, place, context, options);
  switch (place.kind) {
    case 'Vulnerabilities':
      return readTrivyVulnerability(record, place, resource, packages, items);
    case 'Misconfigurations':
      return misconfiguration(record, place, resource, items);
    case 'Secrets':
      return readTrivySecret(record, place, resource, secrets, items);
    default:
      return license(record, place, resource, items);
  }
}

function misconfiguration(
  record: JsonObject,
  { result, position }: TrivyRecordPlace,
  resource: PlaceDraft,
  items: ReportItems,
): ImportItem[] {
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
  const draft: ObservationDraft = {
    place: resource,
    about,
    engine,
    result: status,
    rule_id: id,
    title,
    discriminator: what.filter((part) => part !== undefined).join('|'),
    evidence: {
      message,
      file: result.target,
      file_type: result.type,
      start_line: numberAt(cause, 'StartLine'),
      end_line: numberAt(cause, 'EndLine'),
      resource: textAt(cause, 'Resource'),
      cause_service: textAt(cause, 'Service'),
      cause_provider: textAt(cause, 'Provider'),
      avd_id: textAt(record, 'AVDID'),
      check_type: textAt(record, 'Type'),
      namespace: textAt(record, 'Namespace'),
      snippet: codeOf(cause),
      status,
    },
    position,
    content: `${status}\n${message ?? ''}\n${numberAt(cause, 'StartLine') ?? ''}:${numberAt(cause, 'EndLine') ?? ''}`,
  };
  return items.of(id, draft, () => ({
    ...about,
    rule_id: id,
    engine,
    title,
    resource_type: resource.resource_type,
    source: 'trivy',
    tags: textsAt(record, 'Type'),
  }));
}

function codeOf(cause: JsonObject | undefined): string | undefined {
  const lines = objectsAt(objectAt(cause, 'Code'), 'Lines').slice(0, MAX_LINES);
  return lines.length === 0
    ? undefined
    : lines.map((line) => `${numberAt(line, 'Number') ?? ''}: ${String(member(line, 'Content') ?? '')}`).join('\n');
}

function license(record: JsonObject, { result, position }: TrivyRecordPlace, resource: PlaceDraft, items: ReportItems): ImportItem[] {
  const file = textAt(record, 'FilePath');
  return licenseItems(
    {
      source: 'trivy',
      license: requireText(record, 'Name'),
      severity: toSeverity(textAt(record, 'Severity')) ?? 'info',
      place: resource,
      packageName: textAt(record, 'PkgName'),
      file: file ?? result.target,
      urls: [textAt(record, 'Link')],
      evidence: {
        file,
        license_category: textAt(record, 'Category'),
        target: result.target,
        confidence: numberAt(record, 'Confidence'),
      },
      position,
    },
    items,
  );
}
