import type { Provider } from '../../../schema/model.js';
import { cloudUid, parseCloudName, toProvider, type CloudName } from '../../normalize/cloud.js';
import { resourceType } from '../../normalize/cloud-resource.js';
import {
  BrokenRecord,
  member,
  numberAt,
  objectAt,
  objectsAt,
  requireObject,
  textAt,
  textsAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import { toReferences, type ObservationDraft, type ReportItems } from '../../normalize/observation.js';
import { OCSF_SEVERITIES, ocsfResult } from './status.js';
import { ocsfVulnerabilities, vulnerabilitiesOf } from './vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import { findTechniques, tacticId } from '../../normalize/taxonomy.js';
import type { ControlReference, ImportItem, ImportOptions, Observation } from '../../types.js';

/** Engines by OCSF class; 2004 (Detection Finding) depends on the product. */
const ENGINES: Readonly<Record<number, string>> = {
  2002: 'vulnerability',
  2003: 'check',
  2004: 'cdr',
  2005: 'cdr',
  2006: 'datasec',
  2007: 'secops',
  2008: 'iam',
};

/** Turns one OCSF finding into its rule (the first time) and its observation; throws BrokenRecord naming what is missing. */
export function readOcsfFinding(record: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const classUid = numberAt(record, 'class_uid') ?? 2004;
  if (classUid < 2000 || classUid > 2999) throw new BrokenRecord(`class_uid ${classUid} is no finding (2001-2999)`);
  const info =
    member(record, 'finding_info') === undefined ? requireObject(record, 'finding', 'finding_info') : requireObject(record, 'finding_info');
  const metadata = objectAt(record, 'metadata');
  const product = objectAt(metadata, 'product');
  const source = (textAt(product, 'name') ?? textAt(product, 'vendor_name') ?? 'ocsf').toLowerCase();
  const vulnerabilities = ocsfVulnerabilities(record);
  const ruleId = vulnerabilities[0]?.id ?? ruleIdOf(record, info, metadata);
  if (ruleId === undefined) throw new BrokenRecord('metadata.event_code is missing, and so is every other name of the check');
  const place = placeOf(record, options);
  const result = ocsfResult(record);
  if (result === 'none') return [];
  const engine = vulnerabilities.length > 0 ? 'vulnerability' : engineOf(classUid, source, record);
  const title = textAt(info, 'title') ?? textAt(record, 'message') ?? ruleId;
  const about = { ...describe(record, info), severity: severityOf(record) };
  const categories = textsAt(objectAt(record, 'unmapped'), 'categories');
  const rationale = textAt(record, 'risk_details') ?? textAt(info, 'risk_details');
  const detail = textAt(record, 'status_detail') ?? textAt(record, 'message');
  const isCheck = engine === 'check';
  // An account-wide check runs once a region on a resource that has none.
  const where = isCheck && place.named?.region === undefined && place.region !== undefined ? place.region : undefined;
  const evidence = {
    status_detail: detail,
    status_code: textAt(record, 'status_code'),
    finding_uid: textAt(info, 'uid'),
    risk: rationale,
    resource_details: textAt(objectAt(place.resource, 'data'), 'details'),
    related_resources: objectsAt(record, 'resources')
      .slice(1, 20)
      .flatMap((other) => textAt(other, 'uid') ?? textAt(other, 'name') ?? []),
    types: textsAt(info, 'types'),
    categories,
    notes: textAt(objectAt(record, 'unmapped'), 'notes'),
    product: textAt(product, 'name'),
    product_version: textAt(product, 'version'),
    detected_at: textAt(record, 'time_dt') ?? textAt(info, 'created_time_dt'),
  };
  const told = vulnerabilitiesOf(vulnerabilities, { source, place: place.fields, about, result, title, evidence, position }, items);
  if (told.length > 0) return told;
  const draft: ObservationDraft = {
    about,
    place: place.fields,
    engine,
    result,
    source,
    rule_id: ruleId,
    title,
    discriminator: isCheck ? where : textAt(info, 'uid'),
    evidence,
    position,
    content: `${result}\n${detail ?? ''}\n${textAt(info, 'uid') ?? ''}`,
  };
  return items.of(ruleId, draft, () => ({
    ...about,
    rule_id: ruleId,
    engine,
    title,
    rationale,
    provider: place.provider,
    resource_type: place.resource_type,
    source,
    tags: categories,
  }));
}

function ruleIdOf(record: JsonObject, info: JsonObject, metadata: JsonObject | undefined): string | undefined {
  const analytic = objectAt(info, 'analytic');
  return (
    textAt(metadata, 'event_code') ??
    textAt(objectAt(objectAt(metadata, 'product'), 'feature'), 'uid') ??
    textAt(objectAt(record, 'compliance'), 'control') ??
    textAt(analytic, 'uid') ??
    textAt(analytic, 'name') ??
    textsAt(info, 'types')[0] ??
    textAt(info, 'title')
  );
}

function engineOf(classUid: number, source: string, record: JsonObject): string {
  const isPosture = source === 'prowler' || textAt(record, 'status_code') !== undefined || objectAt(record, 'compliance') !== undefined;
  return isPosture && (classUid === 2004 || classUid === 2001) ? 'check' : (ENGINES[classUid] ?? 'check');
}

function severityOf(record: JsonObject): Observation['severity'] {
  return toSeverity(textAt(record, 'severity')) ?? OCSF_SEVERITIES[numberAt(record, 'severity_id') ?? 0] ?? 'info';
}

function describe(record: JsonObject, info: JsonObject) {
  const unmapped = objectAt(record, 'unmapped');
  const remediation = objectAt(record, 'remediation') ?? objectAt(info, 'remediation');
  const texts = [...textsAt(remediation, 'references'), ...textsAt(remediation, 'kb_articles')];
  const commands = texts.filter((text) => !/^https?:\/\//.test(text));
  const controls = controlsOf(record, objectAt(unmapped, 'compliance'));
  const attacks = [...objectsAt(info, 'attacks'), ...objectsAt(record, 'attacks')];
  const named = controls.filter((control) => /mitre/i.test(control.framework)).map((control) => control.control_id);
  const techniques = attacks.flatMap((attack) => textAt(objectAt(attack, 'technique'), 'uid') ?? []);
  const tactics = attacks.flatMap((attack) => [objectAt(attack, 'tactic'), ...objectsAt(attack, 'tactics')]);
  return {
    description: textAt(info, 'desc'),
    remediation: {
      guidance: textAt(remediation, 'desc'),
      ...(commands.length === 0 ? {} : { steps: commands.map((detail) => ({ action: 'Run', detail })) }),
    },
    references: toReferences([...texts, textAt(unmapped, 'related_url'), ...textsAt(unmapped, 'additional_urls'), textAt(info, 'src_url')]),
    controls,
    mitre_techniques: findTechniques([...named, ...techniques]),
    mitre_tactics: [...new Set(tactics.flatMap((tactic) => textAt(tactic, 'uid') ?? tacticId(textAt(tactic, 'name') ?? '') ?? []))],
  };
}

/** Prowler lists `{framework: [control]}`; OCSF's own compliance object has standards and requirements. */
function controlsOf(record: JsonObject, mapped: JsonObject | undefined): ControlReference[] {
  const controls: ControlReference[] = [];
  for (const framework of Object.keys(mapped ?? {})) {
    for (const id of textsAt(mapped, framework)) controls.push({ framework, control_id: id });
  }
  const compliance = objectAt(record, 'compliance');
  const standards = textsAt(compliance, 'standards');
  for (const requirement of textsAt(compliance, 'requirements')) {
    const [, framework, ids] = /^(.+?)\s*:\s*(.+)$/.exec(requirement) ?? [];
    if (framework !== undefined && ids !== undefined) for (const id of ids.split(',')) controls.push({ framework, control_id: id.trim() });
    else controls.push({ framework: standards[0] ?? 'requirement', control_id: requirement });
  }
  return controls;
}

/** Where the finding lies: its first resource, completed by what the cloud part and the resource's own name say. */
function placeOf(record: JsonObject, options: ImportOptions) {
  const resources = [...objectsAt(record, 'resources'), objectAt(record, 'resource')];
  const resource = resources.find((one) => one !== undefined);
  if (resource === undefined) throw new BrokenRecord('resources is empty or missing');
  const told = textAt(resource, 'uid') ?? textAt(resource, 'name');
  if (told === undefined) throw new BrokenRecord('resources[0].uid is missing');
  const uid = cloudUid(told);
  const cloud = objectAt(record, 'cloud');
  const account = objectAt(cloud, 'account');
  const named = parseCloudName(uid);
  const reported = textAt(cloud, 'provider') ?? textAt(objectAt(record, 'unmapped'), 'provider');
  const { provider, inferred } = providerOf(reported, resource, named, options.provider);
  const type = textAt(resource, 'type');
  const service = textAt(objectAt(resource, 'group'), 'name') ?? named?.service;
  const region =
    provider === 'k8s' ? undefined : (textAt(resource, 'region') ?? textAt(cloud, 'region') ?? named?.region ?? options.region);
  const accountId = textAt(account, 'uid') ?? named?.account_id ?? textAt(resource, 'account_uid') ?? options.account_id;
  const terraformName = resourceType(provider, type, named, uid === accountId, service);
  const namespace = textAt(resource, 'namespace');
  return {
    resource,
    named,
    provider,
    region,
    resource_type: terraformName,
    fields: {
      resource_uid: uid,
      resource_type: terraformName,
      resource_name: textAt(resource, 'name') ?? named?.resource_name,
      provider,
      account_id: accountId,
      region,
      service,
      provider_metadata: {
        account_name: textAt(account, 'name'),
        organization_id: textAt(objectAt(cloud, 'org'), 'uid'),
        partition: textAt(resource, 'cloud_partition'),
        namespace,
        labels: textsAt(resource, 'labels'),
        reported_provider: inferred ? reported : undefined,
        provider_inferred: inferred ? true : undefined,
      },
    },
  };
}

function providerOf(
  reported: string | undefined,
  resource: JsonObject,
  named: CloudName | undefined,
  fallback: Provider = 'k8s',
): { provider: Provider; inferred: boolean } {
  const partition = textAt(resource, 'cloud_partition');
  const type = textAt(resource, 'type') ?? '';
  const found =
    toProvider(reported) ??
    named?.provider ??
    toProvider(partition) ??
    (partition?.startsWith('aws') === true ? 'aws' : partition?.startsWith('Azure') === true ? 'azure' : undefined);
  if (found !== undefined) return { provider: found, inferred: false };
  if (reported === undefined && (type.startsWith('Kubernetes') || textAt(resource, 'namespace') !== undefined))
    return { provider: 'k8s', inferred: false };
  if (/^(?:m365|microsoft365|entra)/i.test(reported ?? '')) return { provider: 'azure', inferred: true };
  return { provider: /^google/i.test(reported ?? '') ? 'gcp' : fallback, inferred: true };
}
