import { compact, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ProwlerCheck } from './check.js';

/** Reads a finding of the JSON of version 3. */
export function readVersion3Finding(record: JsonObject): ProwlerCheck {
  const remediation = objectAt(record, 'Remediation');
  const code = objectAt(remediation, 'Code');
  const recommendation = objectAt(remediation, 'Recommendation');
  const compliance = objectAt(record, 'Compliance') ?? {};
  const organization = objectAt(record, 'OrganizationsInfo');
  const uid = textAt(record, 'ResourceArn') ?? textAt(record, 'ResourceId') ?? textAt(record, 'ResourceName');
  return {
    checkId: requireText(record, 'CheckID'),
    title: textAt(record, 'CheckTitle') ?? requireText(record, 'CheckID'),
    status: requireText(record, 'Status'),
    isMuted: false,
    detail: textAt(record, 'StatusExtended'),
    severity: textAt(record, 'Severity'),
    provider: textAt(record, 'Provider') ?? 'aws',
    account: textAt(record, 'AccountId') ?? textAt(record, 'Subscription') ?? textAt(record, 'ProjectId'),
    region: textAt(record, 'Region') ?? textAt(record, 'Location'),
    resource:
      uid === undefined
        ? undefined
        : { uid, name: textAt(record, 'ResourceName') ?? textAt(record, 'ResourceId'), type: textAt(record, 'ResourceType') },
    service: textAt(record, 'ServiceName'),
    description: textAt(record, 'Description'),
    risk: textAt(record, 'Risk'),
    guidance: textAt(recommendation, 'Text'),
    references: [
      textAt(record, 'RelatedUrl'),
      textAt(recommendation, 'Url'),
      ...['NativeIaC', 'Terraform', 'CLI', 'Other'].map((name) => textAt(code, name)),
    ],
    controls: Object.keys(compliance).flatMap((framework) =>
      framework === '' ? [] : textsAt(compliance, framework).map((id) => ({ framework, control_id: id })),
    ),
    categories: textsAt(record, 'Categories'),
    evidence: compact({
      finding_uid: textAt(record, 'FindingUniqueId'),
      resource_details: textAt(record, 'ResourceDetails'),
      check_types: textsAt(record, 'CheckType'),
      notes: textAt(record, 'Notes'),
      detected_at: textAt(record, 'AssessmentStartTime'),
    }),
    metadata: compact({
      account_name: textAt(organization, 'account_details_name'),
      organization_id: textAt(organization, 'account_details_org'),
      tenant_domain: textAt(record, 'Tenant_Domain'),
      tags: objectAt(record, 'ResourceTags'),
    }),
  };
}
