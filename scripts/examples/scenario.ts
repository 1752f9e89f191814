/** Somebody of the demo. */
export type Person = 'admin' | 'org-admin' | 'support';

/** One call whose request and answer become the example of an operation. */
export interface Step {
  /** The operation's id. */
  readonly operation: string;
  /** An administrator of acme-prod when absent; `nobody` has no session. */
  readonly as?: Person | 'nobody';
  /** Parameters of path and query; `$name` is a value that an earlier answer has had. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** A file of demo/reports, as the body. */
  readonly file?: string;
  /** Members of the answer to remember: name -> member, `items.0.x` for one further in. */
  readonly remember?: Readonly<Record<string, string>>;
}

/** Somebody whom the demo does not know. */
export const ADA = 'ada@acme.example';
const SOON = '2030-02-15T09:00:00.000Z';
const RULE = {
  rule_id: 'custom.bucket-prefix',
  title: 'Buckets carry our prefix',
  severity: 'low',
  resource_types: ['aws_s3_bucket'],
  expression: 'has(r.bucket) && r.bucket.startsWith("acme-")',
};
const FRAMEWORK = {
  framework_id: 'acme_baseline',
  name: 'Acme baseline',
  controls: [{ control_id: 'S3-1', title: 'Buckets are ours', rule_ids: ['custom.bucket-prefix'] }],
};

const CLUSTER = {
  server: 'https://cluster.acme.example',
  ca_certificate: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----',
  token: 'the token of a service account',
};

/** What is made before everything that there is to read is read. */
export const MAKING: readonly Step[] = [
  { operation: 'check_findings', parameters: { page_size: '1' }, remember: { finding: 'items.0.finding_id', rule_id: 'items.0.rule_id' } },
  { operation: 'cdr_events', parameters: { page_size: '1' }, remember: { event_uid: 'items.0.event_uid' } },
  { operation: 'cdr_findings', parameters: { page_size: '1' }, remember: { detection: 'items.0.finding_id' } },
  { operation: 'attack_paths', parameters: { page_size: '1' }, remember: { attack_path: 'items.0.path_id' } },
  { operation: 'assets', parameters: { page_size: '1' }, remember: { resource_uid: 'items.0.resource_uid' } },
  {
    operation: 'reachability',
    parameters: { from: 'internet', to: 'arn:aws:ec2:eu-central-1:111122223333:instance/i-0f3c1a2b4d5e60718', port: '22' },
  },
  { operation: 'my_sessions', remember: { session: '0.id' } },
  { operation: 'graphql', body: { query: '{ check_findings(page_size: 1) { total items { title severity rule { title } } } }' } },
  {
    operation: 'graphql_by_get',
    parameters: { query: 'query($size: Int) { check_findings(page_size: $size) { total } }', variables: '{"size":1}' },
  },
  { operation: 'set_finding_status', parameters: { engine: 'check', id: '$finding' }, body: { status: 'IN_PROGRESS', note: 'on it' } },
  {
    operation: 'set_finding_assignee',
    parameters: { engine: 'check', id: '$finding' },
    body: { assignee: 'analyst@acme.example', due_at: SOON },
  },
  {
    operation: 'comment_on_finding',
    parameters: { engine: 'check', id: '$finding' },
    body: { text: 'Ours to fix: @analyst@acme.example, can you have a look?' },
  },
  {
    operation: 'set_finding_ticket',
    parameters: { engine: 'check', id: '$finding' },
    body: { ticket_id: 'SEC-1', ticket_url: 'https://tracker.example/browse/SEC-1' },
  },
  {
    operation: 'preview_suppression',
    body: { scope: { rule_id: ['$rule_id'], resource_uid: ['arn:aws:*'] } },
  },
  {
    operation: 'create_suppression',
    body: { scope: { rule_id: ['$rule_id'], account_id: ['444455556666'] }, reason: 'A test account', expires_at: SOON },
    remember: { suppression: 'id' },
  },
  {
    operation: 'mark_crown_jewel',
    parameters: { resource_uid: '$resource_uid' },
    body: { decision: 'accepted', tier: 'critical', value: 2_000_000, value_per_hour: 5_000, reason: 'All orders go through it' },
  },
  { operation: 'set_risk_settings', body: { threat_frequencies: [{ name: 'internet', value: 2 }] } },
  { operation: 'risk_what_if', body: { findings: [{ engine: 'check', finding_id: '$finding' }] } },
  { operation: 'set_sla_policy', body: { windows: { critical: 5, low: 180 } } },
  {
    operation: 'set_saved_filter',
    parameters: { id: 'critical-and-open' },
    body: { name: 'Critical and open', filter: { severity: ['critical'], status: ['OPEN'] }, sort: '-risk_score', shared: true },
  },
  {
    operation: 'set_posture_settings',
    body: { tag_mapping: { owner: ['squad', 'owner'] }, runbook_template: 'https://runbooks.acme.example/{rule_id}', disabled_rules: [] },
  },
  {
    operation: 'set_triage_rule',
    parameters: { id: 'payments' },
    body: {
      name: 'Payments has its own',
      filter: { engine: ['check'], tag: ['team=payments'], severity: ['critical', 'high'] },
      assignee: 'analyst@acme.example',
      due_in_days: 3,
      labels: ['payments'],
    },
  },
  {
    operation: 'bulk_triage',
    body: { filter: { engine: ['check'], severity: ['critical'] }, assignee: 'analyst@acme.example', due_at: SOON, dry_run: true },
  },
  {
    operation: 'create_export',
    body: { format: 'csv', findings: { severity: ['critical'], status: ['OPEN'] } },
  },
  {
    operation: 'set_report',
    parameters: { report_id: 'weekly-critical' },
    body: {
      name: 'Critical findings of the week',
      format: 'xlsx',
      findings: { severity: ['critical'] },
      schedule: { cron: '0 7 * * 1', time_zone: 'Europe/Berlin' },
      recipients: ['analyst@acme.example'],
    },
  },
  { operation: 'import_report', parameters: { scan_run_id: 'first-try', artifact: 'my-repository' }, file: 'semgrep.sarif' },
  {
    operation: 'connect_cloud_account',
    as: 'org-admin',
    body: {
      provider: 'aws',
      account_id: '999988887777',
      name: 'Acme sandbox',
      tags: [{ name: 'unit', value: 'sandbox' }],
      connection: { role: { role_arn: 'arn:aws:iam::999988887777:role/palisade-read' } },
    },
  },
  {
    operation: 'set_account_group',
    as: 'org-admin',
    parameters: { group_id: 'sandboxes' },
    body: { name: 'Sandboxes', tag: { name: 'unit', value: 'sandbox' } },
  },
  {
    operation: 'connect_cloud_account',
    as: 'org-admin',
    body: { provider: 'k8s', account_id: 'acme-eks', name: 'Acme cluster', connection: { secret: CLUSTER } },
  },
  {
    operation: 'create_schedule',
    as: 'org-admin',
    body: { name: 'Nightly', cron: '0 3 * * *', time_zone: 'Europe/Berlin', scope: { account_id: 'acme-eks', services: ['core', 'apps'] } },
    remember: { schedule: 'schedule_id', scan: 'scan_id' },
  },
  { operation: 'schedules', as: 'org-admin', parameters: { page_size: '1' } },
  { operation: 'scans', as: 'org-admin', parameters: { page_size: '1' } },
  { operation: 'scan', as: 'org-admin', parameters: { scan_id: '$scan' } },
  // all runs were asked for at the same moment, and the ids of some are made by chance
  { operation: 'scan_runs', parameters: { format: 'grype', page_size: '1' } },
  { operation: 'audit_logs', parameters: { action: 'finding.comment', page_size: '1' } },
  { operation: 'cloud_accounts', as: 'org-admin', parameters: { page_size: '1' } },
  { operation: 'cloud_account', as: 'org-admin', parameters: { account_id: '999988887777' } },
  { operation: 'account_groups', as: 'org-admin', parameters: { page_size: '1' } },
  { operation: 'import_sbom', parameters: { artifact: 'my-repository' }, file: 'storefront.cdx.json' },
  { operation: 'validate_custom_rule', body: { resource_types: RULE.resource_types, expression: RULE.expression } },
  { operation: 'create_custom_rule', body: RULE },
  { operation: 'create_framework', body: FRAMEWORK },
  {
    operation: 'create_attestation',
    body: { framework_id: 'cis_aws_1_4_0', control_id: '1.1', status: 'met', evidence: 'Seen by the auditor', expires_at: SOON },
  },
  {
    operation: 'create_api_key',
    body: { name: 'pipeline', permissions: ['check:read'], expires_at: SOON },
    remember: { key: 'id' },
  },
  { operation: 'create_invite', body: { email: ADA, role: 'viewer' }, remember: { invite: 'id' } },
  {
    operation: 'create_webhook',
    body: { url: 'https://hooks.example.com/palisade', events: ['finding.open'], description: 'Our pipeline' },
    remember: { webhook: 'webhook_id' },
  },
  {
    operation: 'set_notification_rule',
    parameters: { id: 'critical-findings' },
    body: { name: 'Critical findings', event: 'new', recipients: ['team@acme.example'], dry_run: true },
  },
  {
    operation: 'set_siem_export',
    body: { kind: 'webhook', enabled: false, webhook: { url: 'https://siem.example.com/hook' } },
  },
  {
    operation: 'register_technology',
    as: 'org-admin',
    body: { product: 'postgres', version: '13.4', kind: 'database', host: 'db.acme.example', port: 5432, provider: 'aws' },
  },
  { operation: 'create_tenant', as: 'org-admin', body: { name: 'Acme staging' } },
  {
    operation: 'request_support_access',
    as: 'support',
    body: { tenant_id: 'acme-prod', reason: 'Ticket 4711' },
    remember: { access: 'id' },
  },
];

/** Values of path parameters of what is read: by operation and parameter, else by parameter. */
export const PATHS: Readonly<Record<string, string>> = {
  engine: 'check',
  rule_id: '$rule_id',
  resource_uid: '$resource_uid',
  event_uid: '$event_uid',
  artifact_id: '111122223333.dkr.ecr.eu-central-1.amazonaws.com/storefront:2.14.0',
  identity_uid: 'arn:aws:iam::111122223333:role/acme-prod-eks',
  framework_id: 'cis_aws_1_4_0',
  control_id: '1.1',
  cve_id: 'CVE-2023-44487',
  scan_run_id: 'demo-terraform',
  'drift.from': 'demo-terraform',
  'drift.to': 'demo-cluster',
  tenant_id: 'acme-prod',
  provider: 'aws',
  'finding_view.id': '$finding',
  'suppression.id': '$suppression',
  'attack_path.id': '$attack_path',
  'finding_timeline.id': '$finding',
  'cdr_detection_events.id': '$detection',
  'webhook_deliveries.id': '$webhook',
  'check_rule_results.rule_id': 'aws.s3.bucket.public_access_block_companion',
};

/** What is changed and ended after everything was read. */
export const CHANGING: readonly Step[] = [
  { operation: 'remove_finding_ticket', parameters: { engine: 'check', id: '$finding' } },
  { operation: 'update_suppression', parameters: { id: '$suppression' }, body: { expires_at: null } },
  { operation: 'remove_saved_filter', parameters: { id: 'critical-and-open' } },
  { operation: 'remove_suppression', parameters: { id: '$suppression' } },
  { operation: 'remove_triage_rule', parameters: { id: 'payments' } },
  {
    operation: 'set_rule_settings',
    parameters: { rule_id: 'aws.s3.bucket.public_access_block_companion' },
    body: { enabled: false },
  },
  {
    operation: 'update_cloud_account',
    as: 'org-admin',
    parameters: { account_id: '999988887777' },
    body: { scope: { regions: ['eu-central-1'] } },
  },
  { operation: 'discover_organization', as: 'org-admin', body: { account_id: '999988887777' } },
  { operation: 'start_scan', as: 'org-admin', body: { account_id: 'acme-eks', scan_run_id: 'after-the-upgrade' } },
  { operation: 'update_schedule', as: 'org-admin', parameters: { id: '$schedule' }, body: { enabled: false } },
  { operation: 'delete_schedule', as: 'org-admin', parameters: { id: '$schedule' } },
  { operation: 'disconnect_cloud_account', as: 'org-admin', parameters: { account_id: '999988887777' } },
  { operation: 'update_custom_rule', parameters: { rule_id: RULE.rule_id }, body: { severity: 'medium' } },
  { operation: 'replace_framework', parameters: { framework_id: FRAMEWORK.framework_id }, body: FRAMEWORK },
  { operation: 'retire_framework', parameters: { framework_id: FRAMEWORK.framework_id } },
  { operation: 'retire_custom_rule', parameters: { rule_id: RULE.rule_id } },
  { operation: 'delete_api_key', parameters: { id: '$key' } },
  { operation: 'reissue_invite', parameters: { id: '$invite' } },
  { operation: 'revoke_invite', parameters: { id: '$invite' } },
  { operation: 'update_webhook', parameters: { id: '$webhook' }, body: { state: 'paused' } },
  { operation: 'delete_webhook', parameters: { id: '$webhook' } },
  { operation: 'approve_support_access', parameters: { id: '$access' }, body: { hours: 1 } },
  { operation: 'revoke_support_access', parameters: { id: '$access' } },
  { operation: 'update_tenant', parameters: { tenant_id: 'acme-prod' }, body: { name: 'Acme production' } },
  { operation: 'set_mfa_policy', body: { policy: 'none' } },
  { operation: 'set_sso_settings', body: { default_role: 'viewer' } },
  { operation: 'set_my_mfa', body: { method: 'totp' } },
  { operation: 'set_user_role', parameters: { user_id: 'usr_viewer_acme_example' }, body: { role: 'analyst' } },
  { operation: 'remove_user', parameters: { user_id: 'usr_viewer_acme_example' } },
  { operation: 'forgot_password', as: 'nobody', body: { email: ADA } },
  { operation: 'switch_tenant', as: 'org-admin', body: { tenant_id: 'acme-dev' } },
  { operation: 'refresh', as: 'support' },
  { operation: 'logout' },
];
