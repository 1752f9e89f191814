import { Kind, type DirectiveNode, type FieldDefinitionNode } from 'graphql';
import { PERMISSION_MATRIX, isPermission, type Role } from '../../schema/permissions.js';
import type { Route } from '../../kit/engine/routes.js';
import { engines } from '../../subgraphs/index.js';

/** A root field as its engine declares it. */
export interface RootField {
  engine: string;
  kind: 'query' | 'mutation';
  name: string;
  /** The argument of its `@permission`. */
  requires: string;
  graphOnly: boolean;
  /** Whether it is a read model's: for engines, and out of clients' sight. */
  inaccessible: boolean;
  node: FieldDefinitionNode;
}

/** One route with what its caller must hold; a route of `{engine}` stands once for each view segment. */
export interface Endpoint {
  name: string;
  route: Route;
  field: RootField;
  /** View segment that stands for `{engine}`; null where the path has none. */
  segment: string | null;
}

/** Values for the parameters of paths; `{id}` stands under `id:<view segment>` for findings, under `id:<tag of the route>` for all else. */
export type Ids = Readonly<Record<string, string>>;

const argument = (directive: DirectiveNode | undefined): string => {
  const value = directive?.arguments?.[0]?.value;
  return value?.kind === Kind.STRING ? value.value : '';
};

/** The fields of an object type with their `@permission`, of every engine. */
export function fieldsOf(
  typeName: string,
): { engine: string; node: FieldDefinitionNode; requires: string; graphOnly: boolean; inaccessible: boolean }[] {
  return engines.flatMap(({ name, document }) =>
    document.definitions.flatMap((definition) => {
      const isObject = definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION;
      if (!isObject || definition.name.value !== typeName) return [];
      return (definition.fields ?? []).map((node) => {
        const directive = (wanted: string) => node.directives?.find((one) => one.name.value === wanted);
        return {
          engine: name,
          node,
          requires: argument(directive('permission')),
          graphOnly: directive('graphOnly') !== undefined,
          inaccessible: directive('inaccessible') !== undefined,
        };
      });
    }),
  );
}

const rootsOf = (typeName: string, kind: RootField['kind']): RootField[] =>
  fieldsOf(typeName).map((field) => ({ ...field, kind, name: field.node.name.value }));

const declared: readonly RootField[] = [...rootsOf('Query', 'query'), ...rootsOf('Mutation', 'mutation')];

/** Fields of read models: engines alone reach them. */
export const modelFields = declared.filter(({ inaccessible }) => inaccessible);

/** The root fields that clients reach. */
export const rootFields = declared.filter(({ inaccessible }) => !inaccessible);

/** The engines that have findings. */
export const findingEngines = engines.flatMap((engine) => (engine.findings ? [{ ...engine.findings, prefix: engine.prefixes[0]! }] : []));

/** Every REST endpoint of the registry. */
export const endpoints: readonly Endpoint[] = engines.flatMap((engine) =>
  engine.routes.flatMap((route) => {
    const field = rootFields.find(({ name }) => name === route.field)!;
    const segments = route.path.includes('{engine}') ? findingEngines.map(({ viewSegment }) => viewSegment) : [null];
    return segments.map((segment) => ({
      name: `${route.method} ${segment === null ? route.path : route.path.replace('{engine}', segment)}`,
      route,
      field,
      segment,
    }));
  }),
);

/** The arguments that a reading endpoint asks for in its query. */
export const requiredQuery = ({ route, field }: Endpoint): string[] =>
  route.method !== 'GET'
    ? []
    : (field.node.arguments ?? [])
        .filter(({ type, defaultValue }) => type.kind === Kind.NON_NULL_TYPE && !defaultValue)
        .map(({ name }) => name.value)
        .filter((name) => !route.path.includes(`{${name}}`));

/** Whether an endpoint names something by an id. */
export const hasPathParameter = (endpoint: Endpoint): boolean =>
  /\{(?!engine\}|provider\})/.test(endpoint.route.path) || requiredQuery(endpoint).length > 0;

/** The path of an endpoint with the values of `ids` in it, each one encoded segment, and in the query what it asks for there. */
export function pathOf(endpoint: Endpoint, ids: Ids): string {
  const { route, segment } = endpoint;
  const encoded = (name: string) => encodeURIComponent(valueOf(name, ids, segment, route.tag));
  const path = `/api/v1${route.path.replace(/\{([a-z_]+)\}/g, (_, name: string) => encoded(name))}`;
  return requiredQuery(endpoint).reduce((whole, name) => withQuery(whole, `${name}=${encoded(name)}`), path);
}

/** A path with one more part of its query. */
export const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** The value of one argument. @throws for an argument that no table names yet: whoever adds one says how it is filled */
export function valueOf(name: string, ids: Ids, segment: string | null, tag: string | undefined): string {
  if (name === 'engine' && segment !== null) return segment;
  const key = name === 'id' || name === 'finding_id' ? `id:${segment ?? tag}` : name;
  const value = ids[`${name}:${tag}`] ?? ids[key];
  if (value === undefined) throw new Error(`no value for the argument ${key}: add it to the ids of test/contract`);
  return value;
}

/** Ids that no tenant has. */
export const ABSENT: Ids = {
  ...Object.fromEntries(findingEngines.map(({ viewSegment }) => [`id:${viewSegment}`, '0'.repeat(32)])),
  resource_uid: 'arn:aws:s3:::absent/no:such%resource here',
  'id:attack-paths': '0'.repeat(32),
  'id:integrations': '00000000-0000-4000-8000-000000000002',
  'id:notification-rules': 'absent-rule',
  integration_id: '00000000-0000-4000-8000-000000000002',
  provider: 'aws',
  group_id: 'absent-group',
  rule_id: 'custom.absent',
  framework_id: 'absent_framework',
  control_id: 'absent-control',
  family: 'absent_family',
  framework: 'absent_framework',
  scan_run_id: 'absent-run',
  from: 'absent-run',
  to: 'absent-run',
  'from:network-security': 'internet',
  'to:network-security': 'arn:aws:ec2:eu-west-1:123456789012:instance/absent',
  identity_uid: 'arn:aws:iam::123456789012:role/absent',
  event_uid: '0aaaaaaaa.AAAAAAAAAAAAAAAA',
  'id:exports': '00000000-0000-4000-8000-000000000005',
  report_id: 'absent-report',
  scan_id: '0'.repeat(24),
  'id:schedules': '00000000-0000-4000-8000-000000000006',
  'id:invites': 'inv_absent',
  'id:jobs': '00000000-0000-4000-8000-000000000004',
  'id:saved-filters': 'absent-filter',
  'id:triage-rules': 'absent-rule',
  'id:suppressions': '00000000-0000-4000-8000-000000000003',
  tenant_id: 'absent-tenant',
  name: 'absent name',
  user_id: 'absent-user',
  account_id: 'absent-account',
  region: 'absent-region',
  resource_type: 'absent_type',
  artifact: 'absent-artifact',
  artifact_id: 'absent-artifact',
  purl: 'pkg:npm/absent@1.0.0',
  actor: 'absent@test.example',
  target: 'finding:check/absent',
  q: 'absent text',
  upload_id: '00000000-0000-4000-8000-000000000000',
  'id:webhooks': 'wh_absent',
  delivery_id: 'msg_absent',
  'id:api-keys': '000000000000',
  'id:users': '0'.repeat(32),
  'id:support-access': 'sup_absent',
  agent_id: 'agt_absentabsentabse',
  domain: 'absent.example',
  cve: 'CVE-1999-10000',
  cve_id: 'CVE-1999-10000',
};

/** A cluster that every seeded tenant has connected. */
export const SEEDED_ACCOUNT = 'seeded-cluster';
/** An account of AWS that every seeded tenant has connected. */
export const SEEDED_ORGANIZATION = '998877665544';

/** Bodies that every schema rule lets pass, by root field. */
export const BODIES: Readonly<Record<string, Record<string, unknown>>> = {
  set_finding_status: { status: 'RESOLVED', note: 'because' },
  set_finding_assignee: { assignee: null, due_at: '2030-02-15T09:00:00.000Z' },
  comment_on_finding: { text: 'Looked at' },
  set_finding_ticket: { ticket_id: 'SEC-1', ticket_url: 'https://tracker.example/SEC-1' },
  create_integration: { kind: 'email', name: 'Mail', settings: { recipients: ['team@test.example'] } },
  update_integration: { name: 'Renamed' },
  set_notification_rule: { name: 'A rule', event: 'new', recipients: ['team@test.example'], dry_run: true },
  bulk_triage: { finding_ids: ['0'.repeat(32)], note: 'Looked at' },
  create_export: { format: 'csv', findings: {} },
  set_report: { name: 'A report', format: 'csv', findings: {}, schedule: { cron: '0 8 * * 1', time_zone: 'UTC' } },
  discover_organization: { account_id: SEEDED_ORGANIZATION },
  start_scan: { account_id: SEEDED_ACCOUNT },
  create_schedule: { name: 'Nightly', cron: '0 3 * * *', time_zone: 'UTC', scope: { account_id: SEEDED_ACCOUNT } },
  update_schedule: { name: 'Renamed' },
  set_sla_policy: { windows: { critical: 7 } },
  set_triage_rule: { name: 'A rule', labels: ['looked-at'], dry_run: true },
  set_posture_settings: { tag_mapping: { owner: ['squad'] } },
  set_saved_filter: { name: 'Mine', filter: { severity: ['critical'] } },
  connect_cloud_account: {
    provider: 'k8s',
    account_id: 'a-cluster',
    connection: {
      secret: {
        server: 'https://cluster.example',
        ca_certificate: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
        token: 'a token of the cluster',
      },
    },
  },
  update_cloud_account: { name: 'Renamed' },
  set_account_group: { name: 'A group', account_ids: ['a-cluster'] },
  create_suppression: { scope: { rule_id: ['absent-rule'] }, reason: 'Accepted' },
  update_suppression: { reason: 'Accepted again' },
  preview_suppression: { scope: { rule_id: ['absent-rule'] } },
  update_tenant: { name: 'Renamed' },
  set_siem_export: { kind: 'webhook', enabled: false, webhook: { url: 'https://siem.example/hook' } },
  create_tenant: { name: 'Another tenant' },
  set_user_role: { role: 'viewer' },
  create_invite: { email: 'new@invited.example', role: 'viewer' },
  set_mfa_policy: { policy: 'none' },
  set_my_mfa: { method: 'totp' },
  set_sso_settings: { default_role: 'viewer' },
  claim_domain: { domain: 'claimed.example' },
  set_rule_settings: { enabled: false },
  mark_crown_jewel: { decision: 'accepted', reason: 'All orders', value: 1_000_000 },
  risk_what_if: { edges: [{ from: 'internet', to: 'arn:aws:s3:::absent' }] },
  set_risk_settings: { threat_frequencies: [{ name: 'internet', value: 2 }] },
  set_business_context: { owner: 'payments', criticality: 'high' },
  create_custom_rule: { title: 'A rule', severity: 'low', resource_types: ['aws_s3_bucket'], expression: 'has(r.bucket)' },
  update_custom_rule: { title: 'Another title' },
  validate_custom_rule: { resource_types: ['aws_s3_bucket'], expression: 'has(r.bucket)' },
  create_framework: { name: 'A framework', controls: [{ control_id: '1', title: 'A control' }] },
  replace_framework: { name: 'A framework', controls: [{ control_id: '1', title: 'A control' }] },
  create_webhook: { url: 'https://hooks.example.com/', events: ['finding.open'] },
  update_webhook: { description: 'Another description' },
  create_api_key: { name: 'A key', permissions: ['check:read'], expires_at: new Date(Date.now() + 86_400_000).toISOString() },
  request_support_access: { tenant_id: 'absent-tenant', reason: 'A ticket' },
  approve_support_access: { hours: 1 },
  register_technology: { product: 'postgres', version: '13.4', host: 'db.test.example', port: 5432, provider: 'aws' },
  create_enrollment_token: { valid_minutes: 10, note: 'A host' },
  create_attestation: {
    framework_id: 'cis_aws_1_4_0',
    control_id: '1.1',
    status: 'met',
    evidence: 'Seen by the auditor',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  },
};

/** Changes that make or replace what is under an id of the client's choice: an id that nobody has is no 404 there, but a new thing. */
export const CLIENT_CHOSEN: readonly string[] = [
  'set_notification_rule',
  'set_saved_filter',
  'set_triage_rule',
  'set_report',
  'set_account_group',
];

export const takesBody = ({ node }: RootField): boolean => node.arguments?.some(({ name }) => name.value === 'input') ?? false;

/** A body that is right for the endpoint. @throws for a field that has none yet */
export function bodyOf(field: RootField): Record<string, unknown> | undefined {
  if (!takesBody(field)) return undefined;
  const body = BODIES[field.name];
  if (!body) throw new Error(`no body for ${field.name}: add it to BODIES of test/contract`);
  return body;
}

/** Refusals that rules on top of the matrix bring (decision 15); their own tests look at them. */
export const BEYOND_MATRIX: readonly string[] = [
  'Only an org_admin makes tenants',
  'Only an org_admin ends tenants, and takes them back',
  'Only an org_admin changes the domains of the organization',
];

/** What `role` lacks of a requirement, as the message of a 403 names it; empty when it may. */
export function lacking(role: Role, requires: string, segment: string | null): string[] {
  return requires.split('+').flatMap((part) => {
    if (part === 'any' || part === 'person') return [];
    if (part.startsWith('role:')) return part === `role:${role}` ? [] : [`Missing role: ${part.slice(5)}`];
    const permission = part.startsWith('{') ? findingEngines.find(({ viewSegment }) => viewSegment === segment)?.permission : part;
    if (permission === undefined || !isPermission(permission)) throw new Error(`what is ${part}?`);
    return (PERMISSION_MATRIX[permission] as readonly Role[]).includes(role) ? [] : [`Missing permission: ${permission}`];
  });
}
