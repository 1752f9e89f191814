import { asffEngine, asffResult, asffRuleId, asffSeverity, asffSource } from './kind.js';
import { asffVulnerabilities, vulnerabilitiesOf } from './vulnerability.js';
import { parseCloudName, terraformType } from '../../normalize/cloud.js';
import {
  BrokenRecord,
  compact,
  member,
  objectAt,
  objectsAt,
  requireText,
  textAt,
  textsAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import { toReferences, type ObservationDraft, type ReportItems } from '../../normalize/observation.js';
import { findTechniques, tacticId } from '../../normalize/taxonomy.js';
import type { ControlReference, ImportItem, ImportOptions } from '../../types.js';

/** Product fields that repeat others or say nothing of the finding. */
const DULL_FIELD = /FindingId$|ProductName$|CompanyName$|SeverityLabel$|ProductVersion$|^RecommendationUrl$|^Standards/i;
const MAX_FIELDS = 60;

/**
 * Turns one Security Hub finding into its rule (the first time) and its observation; throws BrokenRecord naming what is missing.
 * @param isEvent whether an event tells it: that covers this finding alone and closes no other
 */
export function readAsffFinding(
  record: JsonObject,
  position: string,
  options: ImportOptions,
  items: ReportItems,
  isEvent = false,
): ImportItem[] {
  const id = requireText(record, 'Id');
  const resources = objectsAt(record, 'Resources');
  const resource = resources[0];
  if (resource === undefined) throw new BrokenRecord('Resources is empty or missing');
  const uid = requireText(resource, 'Id', 'Resources[0].Id');
  const source = asffSource(record);
  const vulnerabilities = asffVulnerabilities(record);
  const engine = asffEngine(record, source, vulnerabilities.length > 0);
  const ruleId = textAt(vulnerabilities[0], 'Id') ?? asffRuleId(record, source, engine);
  const title = textAt(record, 'Title') ?? ruleId;
  const result = asffResult(record);
  if (result === 'none') return [];
  const place = placeOf(record, resource, uid, options);
  const about = { ...describe(record), severity: asffSeverity(record) };
  const isCheck = engine === 'check';
  const where = isEvent ? { ...place.fields, artifact: id } : place.fields;
  const evidence = evidenceOf(record, resources, source, isCheck);
  const told = vulnerabilitiesOf(vulnerabilities, { source, place: where, about, result, title, evidence, position }, items);
  if (told.length > 0) return told;
  const draft: ObservationDraft = {
    about,
    place: where,
    engine,
    result,
    source,
    rule_id: ruleId,
    title,
    // A check of what has no region runs once in each of them; a detection is distinguished by its own id.
    discriminator: isCheck ? (place.hasRegion ? undefined : place.fields.region) : id.slice(id.lastIndexOf('/') + 1),
    evidence,
    position,
    content: `${result}\n${id}\n${textAt(record, 'Description') ?? ''}`,
  };
  return items.of(ruleId, draft, () => ({
    ...about,
    // Detections, CVEs and Prowler's checks describe the one finding here, not the rule.
    description: isCheck && source === 'prowler' ? undefined : engine === 'cdr' ? undefined : about.description,
    rule_id: ruleId,
    engine,
    title: isCheck || engine === 'datasec' ? title : ruleId,
    provider: 'aws',
    resource_type: place.resource_type,
    source,
  }));
}

function evidenceOf(record: JsonObject, resources: readonly JsonObject[], source: string, isCheck: boolean): Record<string, unknown> {
  return {
    finding_id: textAt(record, 'Id'),
    generator_id: textAt(record, 'GeneratorId'),
    product: source,
    types: textsAt(record, 'Types'),
    compliance_status: textAt(objectAt(record, 'Compliance'), 'Status'),
    status_reasons: objectsAt(objectAt(record, 'Compliance'), 'StatusReasons').map((reason) =>
      compact({ code: textAt(reason, 'ReasonCode'), description: textAt(reason, 'Description') }),
    ),
    record_state: textAt(record, 'RecordState'),
    workflow_status: textAt(objectAt(record, 'Workflow'), 'Status'),
    status_detail: textAt(record, 'Description'),
    source_url: textAt(record, 'SourceUrl'),
    first_observed_at: textAt(record, 'FirstObservedAt'),
    last_observed_at: textAt(record, 'LastObservedAt'),
    resource_details: resourceDetails(resources[0] as JsonObject),
    related_resources: resources.slice(1, 20).flatMap((other) => textAt(other, 'Id') ?? []),
    product_fields: isCheck && source === 'prowler' ? undefined : productFields(record),
  };
}

function placeOf(record: JsonObject, resource: JsonObject, uid: string, options: ImportOptions) {
  const named = parseCloudName(uid);
  const type = textAt(resource, 'Type');
  const account = textAt(record, 'AwsAccountId') ?? named?.account_id ?? options.account_id;
  const isOther = type === undefined || /^other$/i.test(type);
  const resource_type = !isOther
    ? terraformType('aws', type)
    : (named?.resource_type ?? (uid === account ? 'aws_account' : 'aws_resource'));
  const region = textAt(resource, 'Region') ?? textAt(record, 'Region') ?? named?.region ?? options.region;
  const details = objectAt(resource, 'Details');
  const image = objectAt(details, 'AwsEcrContainerImage');
  return {
    resource_type,
    hasRegion: named?.region !== undefined,
    fields: {
      resource_uid: uid,
      resource_type,
      resource_name:
        textAt(objectAt(record, 'ProductFields'), 'ProwlerResourceName') ??
        textAt(objectAt(resource, 'Tags'), 'Name') ??
        textAt(image, 'RepositoryName') ??
        named?.resource_name ??
        uid,
      provider: 'aws' as const,
      account_id: account,
      region,
      service: named?.service,
      provider_metadata: compact({
        partition: textAt(resource, 'Partition'),
        image_digests: textsAt(image, 'ImageDigest'),
        account_name: textAt(record, 'AwsAccountName'),
        tags: objectAt(resource, 'Tags'),
        product_arn: textAt(record, 'ProductArn'),
      }),
    },
  };
}

function describe(record: JsonObject) {
  const recommendation = objectAt(objectAt(record, 'Remediation'), 'Recommendation');
  const types = textsAt(record, 'Types');
  const sequence = objectsAt(objectAt(objectAt(record, 'Detection'), 'Sequence'), 'SequenceIndicators');
  const indicators = (key: string) =>
    sequence.filter((item) => textAt(item, 'Key')?.includes(key) === true).flatMap((item) => textsAt(item, 'Values'));
  const tactics = [...types.flatMap((type) => /^TTPs\/([^/]+)/.exec(type)?.[1] ?? []), ...indicators('TACTIC')];
  return {
    description: textAt(record, 'Description'),
    remediation: { guidance: textAt(recommendation, 'Text') },
    references: toReferences([textAt(recommendation, 'Url')]),
    controls: controlsOf(objectAt(record, 'Compliance')),
    mitre_techniques: findTechniques([
      ...types,
      ...indicators('TECHNIQUE'),
      ...textsAt(objectAt(record, 'Compliance'), 'RelatedRequirements').filter((text) => /mitre/i.test(text)),
    ]),
    mitre_tactics: [...new Set(tactics.flatMap((name) => tacticId(name) ?? []))],
  };
}

/** `RelatedRequirements` name a framework and a control: `CIS-1.5 1.20`, `NIST.800-53.r5 AC-2(1)`, `PCI DSS v3.2.1/8.3.1`. */
function controlsOf(compliance: JsonObject | undefined): ControlReference[] {
  const controls: ControlReference[] = [];
  const named = new Set<string>();
  for (const requirement of textsAt(compliance, 'RelatedRequirements')) {
    const slash = /^(.*\d.*)\/([^/\s]+)$/.exec(requirement);
    const [framework, ids] = slash === null ? splitAtSpace(requirement) : [slash[1] as string, (slash[2] as string).split(',')];
    named.add(framework);
    for (const id of ids) if (id.trim() !== '') controls.push({ framework, control_id: id.trim() });
  }
  const controlId = textAt(compliance, 'SecurityControlId');
  if (controlId !== undefined) {
    for (const standard of objectsAt(compliance, 'AssociatedStandards')) {
      const framework = textAt(standard, 'StandardsId')?.replace(/^.*?(?:standards|ruleset)\//, '');
      if (framework !== undefined && !named.has(framework)) controls.push({ framework, control_id: controlId });
    }
  }
  return controls;
}

/** Words that belong to a framework's name although they hold digits: `27001:2013`, `v1.2.0`. */
const EDITION = /^(v\d[\d.]*|\d{4,5}(:\d{4})?)$/i;

/** The framework is the words up to the first that looks like a control; all that follow are controls (`HIPAA 164_308_a 164_312_d`, `PCI DSS 8.3.1`). */
function splitAtSpace(requirement: string): [framework: string, ids: string[]] {
  const words = requirement.split(/[\s,]+/).filter(Boolean);
  const first = words.findIndex((word, at) => at > 0 && /[\d_-]/.test(word) && !EDITION.test(word));
  return first === -1 ? ['requirement', [requirement]] : [words.slice(0, first).join(' '), words.slice(first)];
}

function resourceDetails(resource: JsonObject): unknown {
  const details = objectAt(resource, 'Details');
  const first = Object.keys(details ?? {})[0];
  return first === undefined ? undefined : member(details, first);
}

function productFields(record: JsonObject): Record<string, unknown> | undefined {
  const fields = objectAt(record, 'ProductFields');
  const keys = Object.keys(fields ?? {})
    .filter((key) => !DULL_FIELD.test(key))
    .slice(0, MAX_FIELDS);
  return keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, member(fields, key)]));
}
