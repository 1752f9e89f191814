import { cloudItems } from '../../normalize/cloud-finding.js';
import { cloudPlace, type CloudPlace } from '../../normalize/cloud-resource.js';
import type { ReportItems } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ControlReference, ImportItem, ImportOptions } from '../../types.js';
import { assessedPlace } from './place.js';

export const SOURCE = 'defender for cloud';

/** What nobody assessed (NotApplicable, OffByPolicy) says nothing. */
const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS'>> = {
  unhealthy: 'FAIL',
  failed: 'FAIL',
  healthy: 'PASS',
  passed: 'PASS',
};

/** What a status of an assessment says of its resource. */
export const resultOf = (code: string | undefined): 'FAIL' | 'PASS' | undefined => RESULTS[code?.toLowerCase() ?? ''];

/** A recommendation and one resource that it was assessed on. */
interface Assessment {
  key: string;
  title: string;
  status: string | undefined;
  place: CloudPlace;
  severity: string | undefined;
  description?: string | undefined;
  guidance?: string | undefined;
  url?: string | undefined;
  controls?: ControlReference[];
  techniques?: string[];
  tactics?: string[];
  evidence: Record<string, unknown>;
  tags?: string[];
}

function assessmentItems(assessment: Assessment, position: string, items: ReportItems): ImportItem[] {
  const { key, status, severity, url, evidence, ...found } = assessment;
  const result = resultOf(status);
  if (result === undefined) return [];
  return cloudItems(
    {
      ...found,
      source: SOURCE,
      engine: 'check',
      ruleId: key,
      severity: toSeverity(severity) ?? 'medium',
      result,
      urls: [url],
      evidence: compact({ status, ...evidence }),
      position,
    },
    items,
  );
}

/** Turns an assessment into its rule (the first time) and its observation. */
export function readAssessment(record: JsonObject, properties: JsonObject, position: string, options: ImportOptions, items: ReportItems) {
  const key = textAt(record, 'name') ?? requireText(record, 'id').split('/').at(-1) ?? '';
  const metadata = objectAt(properties, 'metadata');
  const status = objectAt(properties, 'status');
  const cause = textAt(status, 'description') ?? textAt(status, 'cause');
  return assessmentItems(
    {
      key,
      title: textAt(properties, 'displayName') ?? textAt(metadata, 'displayName') ?? key,
      status: textAt(status, 'code'),
      place: assessedPlace(record, properties, options),
      severity: textAt(metadata, 'severity') ?? textAt(status, 'severity'),
      description: textAt(metadata, 'description'),
      guidance: textAt(metadata, 'remediationDescription'),
      url: addressOf(textAt(objectAt(properties, 'links'), 'azurePortal') ?? textAt(objectAt(properties, 'links'), 'azurePortalUri')),
      techniques: textsAt(metadata, 'techniques'),
      tactics: textsAt(metadata, 'tactics'),
      evidence: {
        status_detail: cause,
        assessment_id: textAt(record, 'id'),
        first_evaluated_at: textAt(status, 'firstEvaluationDate'),
        status_changed_at: textAt(status, 'statusChangeDate'),
        assessment_type: textAt(metadata, 'assessmentType'),
        policy_definition: textAt(metadata, 'policyDefinitionId'),
        threats: textsAt(metadata, 'threats'),
        effort: textAt(metadata, 'implementationEffort'),
        user_impact: textAt(metadata, 'userImpact'),
        risk_level: textAt(objectAt(properties, 'risk'), 'level'),
      },
      tags: textsAt(metadata, 'categories'),
    },
    position,
    items,
  );
}

/** Turns a row of the portal's CSV, of recommendations or of a standard, into its rule (the first time) and its observation. */
export function readRecommendation(row: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const key = textAt(row, 'recommendationname') ?? requireText(row, 'recommendationid').split('/').at(-1) ?? '';
  const standard = textAt(row, 'compliancestandard');
  const control = textAt(row, 'compliancecontrol');
  const controlName = textAt(row, 'compliancecontrolname');
  return assessmentItems(
    {
      key,
      title: textAt(row, 'recommendationdisplayname') ?? key,
      status: textAt(row, 'state') ?? textAt(row, 'resourcestate'),
      place: cloudPlace(
        {
          uid: requireText(row, 'resourceid'),
          name: textAt(row, 'resourcename'),
          type: textAt(row, 'resourceid')?.startsWith('/') === true ? undefined : textAt(row, 'resourcetype'),
          provider: 'azure',
          account: textAt(row, 'subscriptionid'),
          region: textAt(row, 'location'),
          metadata: compact({ account_name: textAt(row, 'subscriptionname'), resource_group: textAt(row, 'resourcegroup') }),
        },
        options,
      ),
      severity: textAt(row, 'severity'),
      description: textAt(row, 'description'),
      guidance: textAt(row, 'remediationsteps'),
      url: addressOf(textAt(row, 'azureportalrecommendationlink')),
      controls:
        standard === undefined || control === undefined
          ? []
          : [{ framework: standard, control_id: control, ...(controlName !== undefined && { control_name: controlName }) }],
      evidence: {
        assessment_id: textAt(row, 'recommendationid'),
        first_evaluated_at: textAt(row, 'firstevaluationdate'),
        status_changed_at: textAt(row, 'statuschangedate'),
      },
    },
    position,
    items,
  );
}

/** Some interfaces leave out `https://`. */
const addressOf = (link: string | undefined): string | undefined =>
  link === undefined || /^https?:/.test(link) ? link : `https://${link}`;
