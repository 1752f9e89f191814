import { createHash, randomUUID } from 'node:crypto';
import { facetSources } from '../../catalog/facets.js';
import { enrollAgent } from '../support/agents.js';
import { invited } from '../support/invitations.js';
import { eventually } from '../support/receiver.js';
import { change, createHook, findHook, ledger } from '../support/webhooks.js';
import type { Client, TestTenant } from '../support/world.js';
import { addIntegrationDirectly } from './direct-integration.js';
import { addExportDirectly } from './direct-export.js';
import { addJobDirectly } from './direct-job.js';
import { addPathDirectly } from './direct-path.js';
import { feed, type Sample } from './feeds.js';
import { findingEngines, SEEDED_ACCOUNT, SEEDED_ORGANIZATION, type Ids } from './registry-facts.js';

/** What a tenant of the isolation and permission tests has: everything that can carry a text carries `mark`. */
export const markedSamples = (mark: string): Sample[] =>
  [1, 2, 3].map((n) => ({
    rule: `${mark}_rule_${n}`,
    title: `Title ${n} of ${mark}`,
    resource: `arn:aws:s3:::${mark}-bucket-${n}`,
    name: `${mark}-bucket-${n}`,
    severity: n === 1 ? 'critical' : 'low',
    provider: 'aws',
    account: `${mark}-account`,
    region: `${mark}-region`,
    type: `aws_${mark}_thing`,
    labels: [`owner=${mark}`],
  }));

/** A CVE of the mark's own. */
const cveOf = (mark: string, n = 1): string =>
  `CVE-2031-${(Number.parseInt(createHash('sha256').update(mark).digest('hex').slice(0, 6), 16) + 10_000) * 10 + n}`;

/** The samples of an engine: a vulnerability's rule is its CVE. */
const samplesFor = (viewSegment: string, mark: string): Sample[] =>
  markedSamples(mark).map((sample, index) => (viewSegment === 'vulnerability' ? { ...sample, rule: cveOf(mark, index + 1) } : sample));

/** A resource of Terraform's state. */
const managed = (type: string, name: string, attributes: Record<string, unknown>, dependencies: string[] = []) => ({
  mode: 'managed',
  type,
  name,
  provider: `provider["registry.terraform.io/hashicorp/${type.split('_')[0]}"]`,
  instances: [{ attributes, dependencies }],
});

/** Resources of every facet, of types that map all of its fields between them, so that each projection has rows and each filter a value. */
const ofFacets = (mark: string) =>
  facetSources().flatMap(({ name, fields, lines }) => {
    const first = Object.keys(fields).map((field) => lines.find((line) => field in line.fields));
    return [...new Set(first)].flatMap((line, n) => {
      if (!line) return [];
      const id = `${mark}-${name}-${n}`;
      const arn = line.provider === 'aws' && { arn: `arn:aws:${name}:eu-west-1:123456789012:${id}` };
      return [managed(line.type[0]!, `${name}_${n}`, { ...line.sample, id, ...arn })];
    });
  });

/** A part of a network. */
const instanceOf = (mark: string): string => `arn:aws:ec2:eu-west-1:123456789012:instance/i-${mark}`;

/** An identity that may do something. */
const roleOf = (mark: string): string => `arn:aws:iam::123456789012:role/${mark}`;

/** A Terraform state of a bucket, its policy, which hangs on it, what findings name, too, and what facets tell of. @param text an attribute that changes */
const stateOf = (mark: string, text: string) => ({
  version: 4,
  terraform_version: '1.9.0',
  serial: 1,
  lineage: `${mark}-lineage`,
  resources: [
    managed('aws_s3_bucket', 'data', { arn: `arn:aws:s3:::${mark}-data`, bucket: `${mark}-data`, tags: { owner: mark } }),
    managed(`aws_${mark}_thing`, 'first', {
      arn: `arn:aws:s3:::${mark}-bucket-1`,
      name: `${mark}-bucket-1`,
      region: `${mark}-region`,
      text,
    }),
    managed('aws_s3_bucket_policy', 'data', { id: `${mark}-policy`, bucket: `${mark}-data`, policy: `${mark} policy` }, [
      'aws_s3_bucket.data',
    ]),
    managed('aws_instance', 'web', { arn: instanceOf(mark), id: `i-${mark}`, tags: { owner: mark } }),
    managed('aws_iam_role', 'app', { arn: roleOf(mark), name: mark, managed_policy_arns: [`arn:aws:iam::123456789012:policy/${mark}`] }),
    // what the present state lacks is gone
    ...(text.startsWith('former') ? [managed('aws_s3_bucket', 'gone', { arn: `arn:aws:s3:::${mark}-gone`, bucket: `${mark}-gone` })] : []),
    ...ofFacets(mark),
  ],
});

/** What a role of the mark did. @returns the id of an event */
async function seedLog(admin: Client, mark: string): Promise<string> {
  const arn = `arn:aws:sts::123456789012:assumed-role/${mark}/${mark}-session`;
  const event = (eventID: string) => ({
    ...{ eventVersion: '1.09', eventID, eventTime: new Date(Date.now() - 60_000).toISOString(), awsRegion: `${mark}-region` },
    ...{ eventSource: 's3.amazonaws.com', eventName: 'PutObject', recipientAccountId: '123456789012', userAgent: mark },
    userIdentity: { type: 'AssumedRole', arn, accountId: '123456789012', sessionContext: { sessionIssuer: { arn: roleOf(mark) } } },
    requestParameters: { bucketName: `${mark}-data` },
  });
  const run = await admin.import({ Records: [event(`${mark}-1`), event(`${mark}-2`)] }, { scan_run_id: `${mark}-log` });
  if (run.state !== 'COMPLETED') throw new Error(JSON.stringify(run));
  const { items } = (await admin.call<{ items: { event_uid: string }[] }>('/api/v1/cdr/events')).body;
  return items[0]!.event_uid;
}

/** A webhook with one delivery, of the tenant's renaming, which was tried once in vain; paused, so that it stays so. */
async function seedWebhook(admin: Client, tenantId: string, mark: string): Promise<Ids> {
  const hook = await createHook(admin, `https://hooks.example.com/${mark}`, {
    events: ['tenant.update'],
    description: `Webhook of ${mark}`,
  });
  const renamed = await admin.call(`/api/v1/tenants/${tenantId}`, { method: 'PATCH', body: { name: `Tenant of ${mark}` } });
  if (renamed.status !== 200) throw new Error(renamed.text);
  const [delivery] = await eventually(
    () => ledger(admin, hook),
    ([first]) => first?.attempts.length === 1,
  );
  await change(admin, hook, { state: 'paused' });
  await eventually(
    () => findHook(admin, hook),
    ({ health }) => health.consecutive_failures === 1,
  );
  return { 'id:webhooks': hook.webhook_id, delivery_id: delivery!.delivery_id };
}

/** A rule and a framework of the tenant's own, results of the rule, and an attestation. */
async function seedPosture(admin: Client, mark: string): Promise<void> {
  const rule_id = `custom.${mark}`;
  const controls = [
    { control_id: `${mark}-control`, title: `Control of ${mark}`, rule_ids: [rule_id] },
    { control_id: `${mark}-manual`, title: `Manual control of ${mark}` },
  ];
  const made: [string, Record<string, unknown>][] = [
    [
      '/api/v1/rules/custom',
      { rule_id, title: `Rule of ${mark}`, severity: 'low', resource_types: ['aws_s3_bucket'], expression: 'has(r.policy)' },
    ],
    ['/api/v1/compliance/frameworks/custom', { framework_id: `${mark}_framework`, name: `Framework of ${mark}`, controls }],
    [
      '/api/v1/compliance/attestations',
      {
        framework_id: `${mark}_framework`,
        control_id: `${mark}-manual`,
        status: 'met',
        evidence: `Evidence of ${mark}`,
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      },
    ],
  ];
  for (const [path, body] of made) {
    const answer = await admin.call(path, { body });
    if (answer.status !== 201) throw new Error(answer.text);
  }
}

/** An API key, a request for support access, and a session of the tenant's viewer: their ids. */
async function seedAccess(tenant: TestTenant, mark: string): Promise<Ids> {
  const [admin, staff, guest] = [await tenant.as('tenant_admin'), await tenant.as('platform_admin'), await tenant.as('viewer')];
  const made = async (client: Client, path: string, body: Record<string, unknown>) => {
    const answer = await client.call<{ id: string }>(path, { body });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.id;
  };
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const { body: sessions } = await guest.call<{ id: string }[]>('/api/v1/users/me/sessions');
  return {
    'id:api-keys': await made(admin, '/api/v1/api-keys', { name: `Key of ${mark}`, permissions: ['check:read'], expires_at }),
    'id:support-access': await made(staff, '/api/v1/support-access', { tenant_id: tenant.tenant._id, reason: `Ticket of ${mark}` }),
    'id:users': sessions[0]!.id,
  };
}

/** An integration, a notification rule, and a ticket of the first finding of every engine. @returns the ids of the first two */
async function seedNotifications(tenant: TestTenant, mark: string, ids: Ids): Promise<Ids> {
  const admin = await tenant.as('tenant_admin');
  const integration_id = await addIntegrationDirectly(tenant.tenant._id, mark);
  // the client's own id holds no mark: it comes back to whoever sends it
  const rule = `rule-${randomUUID()}`;
  const made: [string, Record<string, unknown>][] = [
    [`/api/v1/notification-rules/${rule}`, { name: `Rule of ${mark}`, event: 'new', integration_id, enabled: false }],
    ...findingEngines.map(({ viewSegment }): [string, Record<string, unknown>] => [
      `/api/v1/views/finding/${viewSegment}/${ids[`id:${viewSegment}`]}/ticket`,
      { ticket_id: `${mark}-1`, ticket_url: `https://${mark}.example/1` },
    ]),
  ];
  for (const [path, body] of made) {
    const answer = await admin.call(path, { method: 'PUT', body });
    if (answer.status !== 200) throw new Error(answer.text);
  }
  return { 'id:integrations': integration_id, integration_id, 'id:notification-rules': rule };
}

/** A saved filter, and the policy of due dates. @returns the filter's id */
async function seedSavedFilter(admin: Client, mark: string): Promise<string> {
  // the client's own id holds no mark: it comes back to whoever sends it
  const id = `filter-${randomUUID()}`;
  const made: [string, Record<string, unknown>][] = [
    [`/api/v1/saved-filters/${id}`, { name: `Filter of ${mark}`, filter: { account_id: [`${mark}-account`] }, shared: true }],
    ['/api/v1/sla-policy', { windows: { critical: 3 } }],
  ];
  for (const [path, body] of made) {
    const answer = await admin.call(path, { method: 'PUT', body });
    if (answer.status !== 200) throw new Error(answer.text);
  }
  return id;
}

/** A report that waits for its first Monday. @returns its id */
async function seedReport(admin: Client, mark: string): Promise<string> {
  const id = `report-${randomUUID()}`;
  const schedule = { cron: '0 8 1 1 *', time_zone: 'UTC' };
  const body = { name: `Report of ${mark}`, format: 'csv', findings: { account_id: [`${mark}-account`] }, schedule };
  const answer = await admin.call(`/api/v1/reports/${id}`, { method: 'PUT', body });
  if (answer.status !== 200) throw new Error(answer.text);
  return id;
}

/** A suppression that takes one finding of every engine. @returns its id */
async function seedSuppression(admin: Client, mark: string): Promise<Ids> {
  const body = { scope: { resource_uid: [`arn:aws:s3:::${mark}-bucket-2`] }, reason: `Reason of ${mark}` };
  const made = await admin.call<{ id: string }>('/api/v1/suppressions', { body });
  if (made.status !== 201) throw new Error(made.text);
  return { 'id:suppressions': made.body.id };
}

/** A cloud account that is connected, and a group with it. @returns the group's id */
async function seedAccounts(tenant: TestTenant, mark: string): Promise<Ids> {
  const owner = await tenant.as('org_admin');
  const account_id = `${mark}-account`;
  const ca_certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
  const secret = { server: `https://${mark}.example`, ca_certificate, token: `${mark} token` };
  const role = { role_arn: `arn:aws:iam::${SEEDED_ORGANIZATION}:role/palisade-read` };
  const accounts = [
    ...[account_id, SEEDED_ACCOUNT].map((id) => ({ provider: 'k8s', account_id: id, connection: { secret } })),
    { provider: 'aws', account_id: SEEDED_ORGANIZATION, connection: { role } },
  ];
  for (const account of accounts) {
    const body = { ...account, name: `Account of ${mark}` };
    const connected = await owner.call('/api/v1/cloud-accounts', { body });
    if (connected.status !== 201) throw new Error(connected.text);
  }
  // the client's own id holds no mark: it comes back to whoever sends it
  const group_id = `group-${randomUUID()}`;
  const group = { name: `Group of ${mark}`, account_ids: [account_id] };
  const made = await owner.call(`/api/v1/accounts/groups/${group_id}`, { method: 'PUT', body: group });
  if (made.status !== 200) throw new Error(made.text);
  return { group_id, group: group_id };
}

/** A schedule of the account, which waits for its first new year's day. */
async function seedSchedule(admin: Client, mark: string): Promise<Ids> {
  const scope = { account_id: `${mark}-account` };
  const body = { name: `Schedule of ${mark}`, cron: '0 8 1 1 *', time_zone: 'UTC', scope };
  const made = await admin.call<{ schedule_id: string; scan_id: string }>('/api/v1/schedules', { body });
  if (made.status !== 201) throw new Error(made.text);
  return { 'id:schedules': made.body.schedule_id, scan_id: made.body.scan_id };
}

/** A triage rule, which takes nothing of the tenant's. @returns its id */
async function seedTriageRule(admin: Client, mark: string): Promise<Ids> {
  const id = `triage-${randomUUID()}`;
  const body = { name: `Triage of ${mark}`, filter: { account_id: [`${mark}-other`] }, labels: [mark] };
  const made = await admin.call(`/api/v1/triage-rules/${id}`, { method: 'PUT', body });
  if (made.status !== 200) throw new Error(made.text);
  return { 'id:triage-rules': id };
}

/** The SIEM export and the identity provider of the tenant. */
async function seedSettings(admin: Client, mark: string): Promise<void> {
  const siem = { kind: 'webhook', enabled: false, webhook: { url: `https://siem.example/${mark}` } };
  const oauth = { enabled: false, issuer: `https://${mark}.example`, client_id: `${mark}-client`, client_secret: `${mark}-hidden` };
  for (const [path, body] of [
    ['/api/v1/audit-logs/siem-export', siem],
    ['/api/v1/settings/sso', { oauth }],
  ] as const) {
    const answer = await admin.call(path, { method: 'PUT', body });
    if (answer.status !== 200) throw new Error(answer.text);
  }
}

/** A crown jewel, and figures of risk. */
async function seedRisk(admin: Client, mark: string): Promise<void> {
  const jewel = { decision: 'accepted', value: 1_000, reason: `Reason of ${mark}` };
  for (const [path, body] of [
    [`/api/v1/risk/crown-jewels/${encodeURIComponent(`arn:aws:s3:::${mark}-bucket-1`)}`, jewel],
    ['/api/v1/settings/risk', { threat_frequencies: [{ name: 'internet', value: 2 }] }],
  ] as const) {
    const answer = await admin.call(path, { method: 'PUT', body });
    if (answer.status !== 200) throw new Error(answer.text);
  }
}

/** A host with an agent, and a technology on it. @returns the agent's id */
async function seedAgent(admin: Client, mark: string): Promise<string> {
  const { agent_id } = await enrollAgent(admin, `${mark}-host.example`);
  const body = { product: 'postgres', version: '13.4', host: `${mark}-host.example`, provider: 'aws', name: `Technology of ${mark}` };
  const made = await admin.call('/api/v1/technology/targets', { body });
  if (made.status !== 201) throw new Error(made.text);
  return agent_id;
}

/** The bill of materials of an artifact. @returns the id of the artifact */
async function seedSbom(admin: Client, mark: string): Promise<Ids> {
  const artifact_id = `registry.example.com/${mark}:1.0`;
  const report = {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
    metadata: { component: { type: 'container', 'bom-ref': 'root', name: artifact_id } },
    components: [1, 2].map((n) => ({
      ...{ type: 'library', 'bom-ref': `ref-${n}`, name: `${mark}-package-${n}`, version: `${n}.0.0` },
      ...{ purl: `pkg:npm/${mark}-package-${n}@${n}.0.0`, licenses: [{ license: { name: `License of ${mark}` } }] },
    })),
    dependencies: [{ ref: 'root', dependsOn: ['ref-1'] }],
  };
  const run = await admin.import(report, { scan_run_id: `${mark}-bill` });
  if (run.state !== 'COMPLETED') throw new Error(JSON.stringify(run));
  return { artifact_id };
}

interface Listed {
  items: { finding_id: string; rule_id: string; resource_uid: string }[];
}

/**
 * Fills a tenant: findings of every engine, rules, assets with tags and edges, runs, a suppressed finding with a note, a name.
 * @returns the ids of what it made
 */
export async function seedTenant(tenant: TestTenant, mark: string): Promise<Ids> {
  const admin = await tenant.as('tenant_admin');
  const ids: Record<string, string> = {};
  for (const { viewSegment, prefix } of findingEngines) {
    await feed(admin, viewSegment, samplesFor(viewSegment, mark), {
      source: `${mark}-scanner`,
      query: { scan_run_id: `${mark}-${viewSegment}` },
    });
    const { items } = (await admin.call<Listed>(`/api/v1/${prefix}/findings`)).body;
    ids[`id:${viewSegment}`] = items[0]!.finding_id;
    const last = items.at(-1)!.finding_id;
    const moved = await admin.call(`/api/v1/views/finding/${viewSegment}/${last}/status`, {
      method: 'PATCH',
      body: { status: 'SUPPRESSED', note: `Note of ${mark}` },
    });
    if (moved.status !== 200) throw new Error(moved.text);
  }
  const assigned = await admin.call(`/api/v1/views/finding/check/${ids['id:check']}/assignee`, {
    method: 'PATCH',
    body: { assignee: admin.user!.email },
  });
  if (assigned.status !== 200) throw new Error(assigned.text);
  await seedPosture(admin, mark);
  const notifications = await seedNotifications(tenant, mark, ids);
  const suppression = await seedSuppression(admin, mark);
  for (const [scan_run_id, text] of Object.entries({ [`${mark}-former`]: `former ${mark}`, [`${mark}-state`]: `present ${mark}` })) {
    const run = await admin.import(stateOf(mark, text), { scan_run_id, account_id: `${mark}-account`, artifact: `${mark}-artifact` });
    if (run.state !== 'COMPLETED') throw new Error(JSON.stringify(run));
  }
  const event_uid = await seedLog(admin, mark);
  const webhook = await seedWebhook(admin, tenant.tenant._id, mark);
  await seedSettings(admin, mark);
  await seedRisk(admin, mark);
  const domain = `${mark}.example`;
  const claimed = await (await tenant.as('org_admin')).call('/api/v1/settings/domains', { body: { domain } });
  if (claimed.status !== 201) throw new Error(claimed.text);
  const guest = await tenant.as('viewer');
  const invitation = await invited(admin, `${mark}@invited.example`);
  return {
    ...ids,
    ...webhook,
    ...(await seedAccess(tenant, mark)),
    'id:invites': invitation.id,
    agent_id: await seedAgent(await tenant.as('org_admin'), mark),
    ...notifications,
    ...suppression,
    ...(await seedTriageRule(admin, mark)),
    ...(await seedSbom(admin, mark)),
    'id:saved-filters': await seedSavedFilter(admin, mark),
    'id:jobs': await addJobDirectly(tenant.tenant._id, mark),
    'id:exports': await addExportDirectly(tenant.tenant._id, mark),
    report_id: await seedReport(admin, mark),
    ...(await seedAccounts(tenant, mark)),
    ...(await seedSchedule(admin, mark)),
    provider: 'aws',
    'id:attack-paths': await addPathDirectly(tenant.tenant._id, mark),
    'from:attack-paths': 'internet',
    'to:attack-paths': `arn:aws:s3:::${mark}-bucket-1`,
    rule_id: `custom.${mark}`,
    framework_id: `${mark}_framework`,
    control_id: `${mark}-control`,
    resource_uid: `arn:aws:s3:::${mark}-bucket-1`,
    scan_run_id: `${mark}-state`,
    from: `${mark}-former`,
    identity_uid: roleOf(mark),
    event_uid,
    'from:network-security': 'internet',
    'to:network-security': instanceOf(mark),
    to: `${mark}-state`,
    tenant_id: tenant.tenant._id,
    name: 'Any name',
    user_id: guest.user!._id,
    account_id: `${mark}-account`,
    region: `${mark}-region`,
    resource_type: `aws_${mark}_thing`,
    actor: admin.user!.email,
    target: `tenant:${tenant.tenant._id}`,
    domain,
    cve: cveOf(mark),
    cve_id: cveOf(mark),
    q: mark,
    owner: mark,
    tag: `owner=${mark}`,
    upload_id: '00000000-0000-4000-8000-000000000001',
  };
}
