import type { Example } from '../../rest/openapi-examples.js';

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

const ADA = 'ada@acme.example';
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

const TOKEN = 'the token of the link';
/** A run that is under way. */
const WATCHED = {
  scan_run_id: 'first-try',
  state: 'RUNNING',
  trigger: 'import',
  format: 'sarif',
  stage: 'ingest',
  attempts: 1,
  created_at: '2030-02-01T09:00:00.000Z',
  started_at: '2030-02-01T09:00:01.000Z',
  completed_at: null,
  waited_ms: 1_000,
  duration_ms: 3_000,
  last_error: null,
};

/** Examples of what no call of the generator can show: it takes a mailbox, a mail server, an identity provider or a browser, or work that is under way. */
export const UNTAKEN: Readonly<Record<string, Example>> = {
  accept_invite: { request: { token: TOKEN, name: 'Ada', password: 'a long password of her own' } },
  change_password: { request: { current_password: 'the present one', password: 'a long password of her own' } },
  reset_password: { request: { token: TOKEN, password: 'a long password of her own' } },
  send_second_step_code: { request: { challenge_id: 'as login has answered it' }, response: { expires_in: 600 } },
  submit_login_page: { request: { email: ADA, password: 'her password', return_to: '/' } },
  submit_second_step_page: { request: { challenge_id: 'as the page has it', step: 'verify', code: '123456' } },
  submit_invite_page: { request: { token: TOKEN, name: 'Ada', password: 'a long password of her own' } },
  submit_forgot_password_page: { request: { email: ADA } },
  submit_reset_password_page: { request: { token: TOKEN, password: 'a long password of her own' } },
  invite_page: { parameters: { token: TOKEN } },
  reset_password_page: { parameters: { token: TOKEN } },
  second_step_page: { parameters: { challenge_id: 'as login has answered it', return_to: '/' } },
  saml_login: { parameters: { tenant_id: 'acme-prod', return_to: '/' } },
  saml_callback: { request: { SAMLResponse: 'PHNhbWxwOlJlc3BvbnNlLz4=' } },
  tenant_saml_callback: { parameters: { tenant_id: 'acme-prod' }, request: { SAMLResponse: 'PHNhbWxwOlJlc3BvbnNlLz4=' } },
  saml_finish: { parameters: { code: 'as the redirect has it' } },
  oauth_login: { parameters: { tenant_id: 'acme-prod', return_to: '/' } },
  oauth_callback: { parameters: { code: 'of the provider', state: 'of the request', iss: 'https://login.acme.example' } },
  tenant_oauth_callback: {
    parameters: { tenant_id: 'acme-prod', code: 'of the provider', state: 'of the request', iss: 'https://login.acme.example' },
  },
  create_enrollment_token: {
    request: { valid_minutes: 30, note: 'web-1' },
    response: {
      token_id: 'pet_9fQ2mT0xYb1c',
      token: 'pet_YWNtZS1wcm9k.shown-once',
      note: 'web-1',
      created_at: '2030-02-01T09:00:00.000Z',
      expires_at: '2030-02-01T09:30:00.000Z',
    },
  },
  remove_agent_host: { parameters: { agent_id: 'agt_0a1B2c3D4e5F6g7H' } },
  enroll_agent: {
    request: {
      token: 'pet_YWNtZS1wcm9k.shown-once',
      hostname: 'web-1.acme.example',
      public_key: 'of the host',
      proof: 'signed by its key',
    },
    response: {
      agent_id: 'agt_0a1B2c3D4e5F6g7H',
      tenant_id: 'acme-prod',
      hostname: 'web-1.acme.example',
      enrolled_at: '2030-02-01T09:10:00.000Z',
    },
  },
  send_agent_report: {
    response: { report_id: 'lynis-2030-02-01', scan_run_id: 'agt_0a1B2c3D4e5F6g7H.lynis-2030-02-01', state: 'QUEUED' },
  },
  jira_hook: { parameters: { integration_id: '00000000-0000-4000-8000-000000000001' } },
  job: {
    parameters: { id: '00000000-0000-4000-8000-000000000004' },
    response: {
      job_id: '00000000-0000-4000-8000-000000000004',
      kind: 'findings.bulk_triage',
      state: 'RUNNING',
      done: 12_400,
      total: 40_000,
      result: { matched: 12_400, changed: 12_398, unchanged: 0, refused: 2, errors: [] },
      result_url: null,
      error: null,
      created_by: 'admin@acme.example',
      created_at: '2030-02-01T09:00:00.000Z',
      started_at: '2030-02-01T09:00:00.500Z',
      completed_at: null,
    },
  },
  export: {
    parameters: { id: '00000000-0000-4000-8000-000000000005' },
    response: {
      export_id: '00000000-0000-4000-8000-000000000005',
      subject: 'findings',
      format: 'csv',
      filter: { severity: ['critical'], status: ['OPEN'], sort: '-first_seen_at' },
      engines: ['check', 'iam'],
      state: 'COMPLETED',
      reason: null,
      rows: 1_204,
      size: 361_200,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      notes: {},
      download_url: '/api/v1/exports/00000000-0000-4000-8000-000000000005/download',
      report_id: null,
      created_by: 'admin@acme.example',
      created_at: '2030-02-01T09:00:00.000Z',
      completed_at: '2030-02-01T09:00:01.200Z',
      expires_at: '2030-02-08T09:00:01.200Z',
    },
  },
  export_file: { parameters: { id: '00000000-0000-4000-8000-000000000005' } },
  billing_usage: {
    parameters: { months: '1' },
    response: {
      plan: 'enterprise',
      months: [{ month: '2030-01', accounts: 12, assets: 48_210, scans: 310, api_calls: 182_400 }],
      allowances: [{ name: 'assets', allowed: 5_000_000, used: 48_210, left: 4_951_790 }],
    },
  },
  cancel_job: { parameters: { id: '00000000-0000-4000-8000-000000000004' } },
  scan_run_events: {
    parameters: { scan_run_id: 'first-try' },
    response: 'retry: 2000\n\nid: 1\nevent: state\ndata: {"position":1,"type":"state","scan_run_id":"first-try","state":"QUEUED", …}\n\n',
  },
  pipeline_runs: {
    response: {
      items: [WATCHED],
      total: 1,
      page: 1,
      page_size: 50,
      has_more: false,
      by_state: [
        { state: 'QUEUED', runs: 0 },
        { state: 'RUNNING', runs: 1 },
      ],
      queues: [{ kind: 'scans.import_report', waiting: 0, running: 1, lag_ms: 0 }],
      workers: { seen: 2, last_seen_at: null },
    },
  },
  pipeline_run: {
    parameters: { scan_run_id: 'first-try' },
    response: {
      run: WATCHED,
      stages: [
        {
          stage: 'ingest',
          state: 'RUNNING',
          attempts: 1,
          started_at: '2030-02-01T09:00:01.000Z',
          completed_at: '2030-02-01T09:00:04.000Z',
          duration_ms: 3_000,
          error: null,
        },
      ],
      engines: [{ engine: 'secops', state: 'RUNNING', attempts: 1, heartbeat_at: '2030-02-01T09:00:04.000Z', error: null }],
      queue: { kind: 'scans.import_report', waiting: 0, running: 1, lag_ms: 0 },
      workers: { seen: 2, last_seen_at: null },
    },
  },
  validate_cloud_account: { parameters: { account_id: '999988887777' } },
  cancel_scan_run: { parameters: { scan_run_id: 'first-try' } },
  end_my_session: { parameters: { id: 'as the list of sessions has it' } },
  redeliver_webhook: {
    parameters: { id: '00000000-0000-4000-8000-000000000001', delivery_id: '00000000-0000-4000-8000-000000000002' },
  },
  create_integration: { request: { kind: 'email', name: 'The team', settings: { recipients: ['team@acme.example'] } } },
  update_integration: { parameters: { id: '00000000-0000-4000-8000-000000000001' }, request: { name: 'All of the team' } },
  remove_integration: { parameters: { id: '00000000-0000-4000-8000-000000000001' } },
  remove_notification_rule: { parameters: { id: 'critical-findings' } },
  openapi: { response: { openapi: '3.1.1', info: { title: 'Palisade' } } },
  reference: { response: '<!doctype html><html lang="en"><head><title>Palisade REST reference</title>…' },
  metrics: { response: 'palisade_http_request_duration_seconds_count{method="GET",route="/api/v1/:prefix/findings",status="200"} 1' },
};
