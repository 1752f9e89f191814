import { BrokenRecord, compact, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ControlReference } from '../../types.js';
import type { ProwlerCheck } from './check.js';
import { splitControl } from './version-2.js';

/** Columns of version 3, where they were called otherwise, and those of its providers (Prowler documentation, "Reporting"). */
const FORMER: Readonly<Record<string, readonly string[]>> = {
  account_uid: ['account_id', 'subscription', 'project_id'],
  resource_uid: ['resource_arn', 'resource_id'],
  resource_name: ['resource_id'],
  region: ['location'],
  finding_uid: ['finding_unique_id'],
  account_organization_uid: ['account_organization_arn'],
  account_organization_name: ['account_org', 'tenant_domain'],
};
const SPLIT = ' | ';

/** Reads a row of the CSV of version 3 and later. */
export function readRow(row: JsonObject): ProwlerCheck {
  const cell = (name: string): string | undefined =>
    [name, ...(FORMER[name] ?? [])].map((column) => textAt(row, column)).find((text) => text !== undefined);
  const region = cell('region');
  const namespace = region !== undefined && region.startsWith('namespace: ') ? region.slice('namespace: '.length) : undefined;
  const uid = cell('resource_uid') ?? cell('resource_name');
  return {
    checkId: requireText(row, 'check_id'),
    title: cell('check_title') ?? requireText(row, 'check_id'),
    status: requireText(row, 'status'),
    isMuted: /^true$/i.test(cell('muted') ?? ''),
    detail: cell('status_extended'),
    severity: cell('severity'),
    provider: requireText(row, 'provider'),
    account: cell('account_uid'),
    region: namespace === undefined ? region : undefined,
    resource: uid === undefined ? undefined : { uid, name: cell('resource_name'), type: cell('resource_type') },
    service: cell('service_name'),
    description: cell('description'),
    risk: cell('risk'),
    guidance: cell('remediation_recommendation_text'),
    references: [
      cell('related_url'),
      cell('remediation_recommendation_url'),
      cell('remediation_code_nativeiac'),
      cell('remediation_code_terraform'),
      cell('remediation_code_cli'),
      cell('remediation_code_other'),
    ],
    controls: controlsOf(cell('compliance')),
    categories: cell('categories')?.split(SPLIT) ?? [],
    evidence: compact({
      finding_uid: cell('finding_uid'),
      resource_details: cell('resource_details'),
      check_types: cell('check_type')?.split(SPLIT),
      notes: cell('notes'),
      product_version: cell('prowler_version'),
      detected_at: textAt(row, 'timestamp') ?? textAt(row, 'assessment_start_time'),
    }),
    metadata: compact({
      account_name: cell('account_name'),
      organization_id: cell('account_organization_uid'),
      organization_name: cell('account_organization_name'),
      partition: cell('partition'),
      namespace,
      tags: cell('resource_tags'),
    }),
  };
}

/** `CIS-1.5: 2.1.1, 2.1.2 | NIST-800-53-Revision-5: ac_4`. */
function controlsOf(compliance: string | undefined): ControlReference[] {
  return (compliance ?? '').split(SPLIT).flatMap((part) => {
    const at = part.indexOf(': ');
    if (at < 1) return [];
    const framework = part.slice(0, at).trim();
    const ids = part.slice(at + 2).split(',');
    return ids.flatMap((id) => (id.trim() === '' ? [] : { framework, control_id: id.trim() }));
  });
}

/** Reads a row of the CSV of version 2, of its first releases too. */
export function readVersion2Row(row: JsonObject): ProwlerCheck {
  const cell = (...names: string[]): string | undefined => names.map((name) => textAt(row, name)).find((text) => text !== undefined);
  const control = cell('title_text');
  if (control === undefined) throw new BrokenRecord('title_text is missing');
  const uid = cell('check_resource_id');
  const section = cell('title_id');
  return {
    ...splitControl(control, section),
    status: cell('check_result', 'result') ?? '',
    isMuted: false,
    detail: cell('check_result_extended', 'notes'),
    severity: cell('check_severity'),
    provider: 'aws',
    account: cell('account_num'),
    region: cell('region'),
    resource: uid === undefined ? undefined : { uid, name: undefined, type: cell('check_asff_resource_type') },
    service: cell('check_servicename'),
    description: undefined,
    risk: cell('check_risk'),
    guidance: cell('check_remediation'),
    references: [cell('check_doc')],
    controls: [],
    categories: [],
    evidence: compact({
      control_id: section,
      level: cell('item_level', 'level'),
      compliance: cell('check_asff_compliance_type'),
      caf_epic: cell('check_caf_epic'),
      detected_at: cell('prowler_start_time'),
    }),
    metadata: compact({ account_email: cell('account_details_email'), organization_id: cell('account_details_org') }),
  };
}
