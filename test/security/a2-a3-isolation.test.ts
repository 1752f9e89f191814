import { isDeepStrictEqual } from 'node:util';
import type { GraphQLFormattedError } from 'graphql';
import { openWorld, type Answer, type Client, type TestTenant, type World } from '../support/world.js';
import { operationOf } from '../contract/operations.js';
import {
  CLIENT_CHOSEN,
  ABSENT,
  bodyOf,
  endpoints,
  fieldsOf,
  findingEngines,
  hasPathParameter,
  pathOf,
  rootFields,
  takesBody,
  type Endpoint,
  type Ids,
  requiredQuery,
  withQuery,
} from '../contract/registry-facts.js';
import { markedSamples, seedTenant } from '../contract/seeds.js';
import { feed } from '../contract/feeds.js';
import { Database } from '../../kit/store/database.js';
import { auditHeads } from '../../kit/audit/records.js';
import { collectionsOfTenants, tenantRows } from '../support/tenant-rows.js';

const [OWN, FOREIGN] = ['markone', 'marktwo'];

let world: World;
let one: TestTenant;
let two: TestTenant;
let own: Ids;
let foreign: Ids;
let client: Client;
/** What t1 sees before t2 has anything, by path. */
let before: Map<string, Seen>;
/** Texts that must never reach t1. */
let marks: string[];

interface Seen {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Headers that differ from call to call. */
const PASSING = ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'connection', 'keep-alive'];
const seen = ({ status, headers, text }: Answer<unknown>): Seen => ({
  status,
  // noted to the minute by whoever asks, and counted every ten seconds
  text: text.replace(/"last_used_at":"[^"]+"/g, '"last_used_at":"…"').replace(/"api_calls":\d+/g, '"api_calls":0'),
  headers: Object.fromEntries([...headers].filter(([name]) => !PASSING.includes(name))),
});

/** A download is noted in the audit log, whose bytes are compared here; test/engines/exports.test.ts holds that another tenant's file is none. */
const gets = endpoints.filter(({ route }) => route.method === 'GET' && !route.file);
const changes = endpoints.filter(({ route }) => route.method !== 'GET');
const named = <T extends { name: string }>(list: readonly T[]) => list.map((item) => [item.name, item] as const);

async function readAll(reader: Client, ids: Ids): Promise<Map<string, Seen>> {
  const all = new Map<string, Seen>();
  const paths = gets
    .filter((endpoint) => !FOR_ORG_ADMIN.includes(endpoint.route.field))
    .map((endpoint) => pathOf(endpoint, ids))
    .concat(findingEngines.map(({ prefix }) => `/api/v1/${prefix}/findings?status=SUPPRESSED`));
  for (const path of paths) all.set(path, seen(await reader.call(path)));
  const owner = await one.as('org_admin');
  for (const endpoint of gets.filter(({ route }) => FOR_ORG_ADMIN.includes(route.field))) {
    const path = pathOf(endpoint, ids);
    all.set(path, seen(await owner.call(path)));
  }
  return all;
}

beforeAll(async () => {
  world = await openWorld();
  [one, two] = [await world.tenant(), await world.tenant()];
  own = await seedTenant(one, OWN);
  client = await one.as('tenant_admin');
  before = await readAll(client, own);
  foreign = await seedTenant(two, FOREIGN);
  const people = await Promise.all((['tenant_admin', 'viewer', 'platform_admin'] as const).map((role) => two.as(role)));
  marks = [FOREIGN, two.tenant._id, two.tenant.organization_id, ...people.flatMap(({ user }) => [user!._id, user!.email])];
});
afterAll(() => world.close());

const expectNoMark = (text: string) => expect(marks.filter((mark) => text.includes(mark))).toEqual([]);

/** What only an org_admin may do in a tenant: a lesser role is told 403, whatever the id. */
const FOR_ORG_ADMIN = [
  ...['billing_usage', 'verify_domain', 'remove_domain', 'end_tenant', 'restore_tenant', 'remove_agent_host'],
  ...['update_cloud_account', 'disconnect_cloud_account', 'validate_cloud_account'],
];
/** What an endpoint asks for in its query. */
const QUERIES: Readonly<Record<string, string>> = { end_tenant: '?name=Any' };

const request = async (endpoint: Endpoint, ids: Ids) => {
  const { method, upload, field } = endpoint.route;
  const caller = FOR_ORG_ADMIN.includes(field) ? await one.as('org_admin') : client;
  return caller.call(
    `${pathOf(endpoint, ids)}${QUERIES[field] ?? ''}`,
    upload ? { method, raw: 'no report' } : { method, body: bodyOf(endpoint.field) },
  );
};

describe('A2, A3: reading', () => {
  it.each(named(gets))('%s gives a tenant the same bytes before and after another tenant has data', async (_name, endpoint) => {
    const path = pathOf(endpoint, own);
    const reader = FOR_ORG_ADMIN.includes(endpoint.route.field) ? await one.as('org_admin') : client;
    const now = seen(await reader.call(path));
    expect(now).toEqual(before.get(path));
    expect(now.status).toBe(200);
    expectNoMark(now.text);
  });

  it('gives the suppressed findings of the own tenant alone', async () => {
    for (const { prefix } of findingEngines) {
      const path = `/api/v1/${prefix}/findings?status=SUPPRESSED`;
      expect(seen(await client.call(path))).toEqual(before.get(path));
    }
  });

  it('shows the marks of the own tenant in every kind of data, so that their absence means something', async () => {
    const silent = gets.filter((endpoint) => !before.get(pathOf(endpoint, own))!.text.includes(OWN)).map(({ route }) => route.field);
    // users and my_sessions show their ids, checked below; a search shows what it is asked for; the others count, or know no text of a tenant
    expect(silent.sort()).toEqual([
      ...['audit_verification', 'billing_usage', 'cdr_detection_events', 'cdr_heatmap', 'cnapp_overview', 'dashboard_trends'],
      ...['finding_ageing', 'import_formats', 'mfa_policy'],
      ...['mitre_coverage', 'mitre_navigator_layer', 'my_sessions', 'onboarding_template', 'posture_settings', 'risk_blast_radius'],
      ...['risk_scenarios', 'risk_settings', 'risk_summary', 'roles', 'search', 'sla_policy', 'users'],
      ...['vulnerability_cves', 'vulnerability_stats'],
    ]);
    expect(before.get('/api/v1/users')!.text).toContain(own['user_id']);
    expect((await client.call('/api/v1/audit-logs?action=finding.suppress')).text).toContain(`Note of ${OWN}`);
  });

  it.each(named(gets.filter(hasPathParameter)))(
    "%s answers another tenant's id byte for byte as an absent one",
    async (_name, endpoint) => {
      const [theirs, absent] = [seen(await request(endpoint, foreign)), seen(await request(endpoint, ABSENT))];
      expect(theirs).toEqual(absent);
      expect(theirs.status).toBe(404);
      expectNoMark(theirs.text);
    },
  );

  /** Text filters that name nothing of a tenant. */
  const COMMON = [
    'accept',
    'after',
    'version',
    'control',
    'engine',
    'environment',
    'source',
    'format',
    'result',
    'sort',
    'action',
    'family',
    'framework',
  ];
  /** Filters by what the rows of these tests have none of. */
  const UNFED = [
    ...['GET /cnapp/overview?value', 'GET /risk/scenarios?resource_uid', 'GET /vulnerability/cves?q'],
    ...['GET /vulnerability/findings/stats?rule_id', 'GET /vulnerability/findings/stats?scan_run_id'],
    ...['resource_type', 'from', 'to', 'cve'].map((argument) => `GET /attack-paths?${argument}`),
    ...['/findings', '/findings/groups', '/findings/facets', '/findings/ageing'].flatMap((path) => [
      `GET ${path}?label`,
      `GET ${path}?technique`,
    ]),
  ];
  /** Filters by what only rules of the catalog do, which are those of both tenants: test/engines/implied-findings.test.ts asks by them. */
  const UNFED_ARGUMENTS = ['stands_for'];
  /** What a filter looks at, or what its negation leaves out. */
  const columnOf = (argument: string): string => argument.replace(/^not_/, '');
  /** Fields whose account narrows what is counted, not which rows there are. */
  const COUNTED = ['compliance_frameworks', 'framework_report', 'framework_controls', 'framework_control'];
  /** Fields whose arguments ask about what the path names; test/iam/access.test.ts asks about another tenant's resource. */
  const QUESTIONS = ['identity_access'];
  const filters = gets
    .filter(({ route }) => !QUESTIONS.includes(route.field))
    .flatMap((endpoint) =>
      (endpoint.field.node.arguments ?? [])
        .map((argument) => ({ argument: argument.name.value, type: JSON.stringify(argument.type) }))
        .filter(
          ({ argument, type }) =>
            !endpoint.route.path.includes(`{${argument}}`) &&
            !requiredQuery(endpoint).includes(argument) &&
            /"value":"(String|ID)"/.test(type) &&
            !COMMON.includes(columnOf(argument)),
        )
        .map(({ argument }) => [`${endpoint.name}?${argument}`, endpoint, argument] as const),
    );
  /**
   * A value that a row of the tenant has in the field of a filter, one with its mark where there is any, as rules and types may be those of both;
   * the general one where no row shows the field.
   */
  const valueFor = async (reader: Client, endpoint: Endpoint, ids: Ids, argument: string): Promise<string> => {
    const whole = pathOf(endpoint, ids);
    const path = whole
      .replace(/summary$/, 'findings')
      .replace(/^(\/api\/v1\/findings)\/(groups|facets|ageing)$/, '$1')
      .replace(/heatmap$/, 'findings');
    const { body } = await reader.call<Listed>(isPaged(endpoint) || path !== whole ? withQuery(path, 'page_size=200') : path);
    const column = columnOf(argument);
    const values = (body.items ?? body.nodes ?? [])
      .flatMap((item) => [item[column], item[`${column}s`]].flat())
      .filter((one) => typeof one === 'string');
    return values.find((value) => value.includes(ids['q']!)) ?? values[0] ?? ids[column]!;
  };
  it.each(filters)("%s finds nothing by another tenant's value, byte for byte as by an absent one", async (name, endpoint, argument) => {
    const answer = async (value: string) =>
      client.call<Listed>(withQuery(pathOf(endpoint, own), `${argument}=${encodeURIComponent(value)}`));
    const [mine, others] = [
      await valueFor(client, endpoint, own, argument),
      await valueFor(await two.as('tenant_admin'), endpoint, foreign, argument),
    ];
    const counted = COUNTED.includes(endpoint.route.field) && argument === 'account_id';
    const negates = columnOf(argument) !== argument;
    if (!counted && !negates && !UNFED.includes(name) && !UNFED_ARGUMENTS.includes(argument))
      expect(foundIn(await answer(mine))).toBeGreaterThan(0);
    const [theirs, absent] = [await answer(others), await answer(ABSENT[columnOf(argument)] ?? `absent ${argument}`)];
    expectNoMark(theirs.text);
    // a value that both tenants have by nature finds the own rows alone
    if (others === mine) return expect(seen(theirs)).toEqual(seen(await answer(mine)));
    expect(seen(theirs)).toEqual(seen(absent));
    // what nobody has leaves nothing out
    if (!counted) expect([theirs.status, foundIn(theirs)! > 0]).toEqual([200, negates]);
  });
});

/** A list, a graph of resources, or what came by day. */
interface Listed extends Record<string, unknown> {
  items?: Record<string, unknown>[];
  nodes?: Record<string, unknown>[];
  days?: { new: number }[];
  total?: number;
}
const foundIn = ({ body: { total, items, nodes, days } }: { body: Listed }): number | undefined =>
  total ?? (items ?? nodes)?.length ?? days?.reduce((sum, day) => sum + day.new, 0);
const isPaged = ({ field }: Endpoint): boolean => /"value":"\w+Page"/.test(JSON.stringify(field.node.type));

describe('A2, A3: changing', () => {
  const targeted = changes.filter((endpoint) => hasPathParameter(endpoint) && !CLIENT_CHOSEN.includes(endpoint.route.field));

  /** What works in the background changes by itself; calls are counted every ten seconds. */
  const BACKGROUND = ['jobs', 'outbox', 'call_counts'];
  let store: Database;
  let untouched: Record<string, string[]>;
  /** The end of the audit log: every change moves it. */
  let heads: object[];
  const rowsOfTwo = async () => {
    const rows = await tenantRows(store, two.tenant._id);
    return Object.fromEntries(Object.entries(rows).filter(([name]) => !BACKGROUND.includes(name)));
  };
  beforeAll(async () => {
    store = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, process.env['PALISADE_TEST_DB']!, collectionsOfTenants);
    untouched = await rowsOfTwo();
    heads = await store.tenant(two.tenant._id).collection(auditHeads).find({});
  });
  afterAll(() => store.close());

  it('looks at rows of the other tenant', () => {
    const filled = Object.keys(untouched).filter((name) => untouched[name]!.length > 0);
    expect(filled).toEqual(expect.arrayContaining(['findings', 'assets', 'webhooks', 'api_keys', 'memberships', 'invites', 'audit_log']));
  });

  it.each(named(targeted))(
    "%s answers another tenant's id byte for byte as an absent one, and changes nothing",
    async (_name, endpoint) => {
      const [theirs, absent] = [seen(await request(endpoint, foreign)), seen(await request(endpoint, ABSENT))];
      expect(theirs).toEqual(absent);
      expect(theirs.status).toBe(404);
      expectNoMark(theirs.text);
      expect(await store.tenant(two.tenant._id).collection(auditHeads).find({})).toEqual(heads);
      expect((await client.call<{ items: { target: string }[] }>('/api/v1/audit-logs')).text).not.toContain(FOREIGN);
    },
  );

  it('leaves every row of the other tenant as it was', async () => {
    const now = await rowsOfTwo();
    expect(heads).toHaveLength(1);
    expect(Object.keys(untouched).filter((name) => !isDeepStrictEqual(now[name], untouched[name]))).toEqual([]);
  });

  it('has a target in every change but imports', () => {
    const untargeted = changes.filter((endpoint) => !hasPathParameter(endpoint)).map(({ name }) => name);
    expect(untargeted.sort()).toEqual([
      'POST /agent/enrollment-tokens',
      'POST /api-keys',
      'POST /cloud-accounts',
      'POST /compliance/attestations',
      'POST /compliance/frameworks/custom',
      'POST /exports',
      'POST /findings/bulk-triage',
      'POST /integrations',
      'POST /invites',
      'POST /onboarding/organizations',
      'POST /risk/what-if',
      'POST /rules/custom',
      'POST /rules/custom/validate',
      'POST /scans',
      'POST /scans/imports',
      'POST /schedules',
      'POST /secops/sboms',
      'POST /settings/domains',
      'POST /support-access',
      'POST /suppressions',
      'POST /suppressions/preview',
      'POST /technology/targets',
      'POST /tenants',
      'POST /users/me/mfa',
      'POST /webhooks',
      'PUT /audit-logs/siem-export',
      'PUT /settings/mfa-policy',
      'PUT /settings/posture',
      'PUT /settings/risk',
      'PUT /settings/sso',
      'PUT /sla-policy',
    ]);
    expect(targeted.filter(({ field }) => takesBody(field)).length).toBeGreaterThan(0);
  });
});

describe('over the graph', () => {
  /** They name nothing that exists: what they make or try is the own tenant's. */
  const UNTARGETED = [
    'create_custom_rule',
    'validate_custom_rule',
    'create_framework',
    'create_attestation',
    'create_webhook',
    'create_api_key',
    'create_enrollment_token',
    'register_technology',
    'set_siem_export',
    'set_sso_settings',
    'create_tenant',
    'create_invite',
    'set_mfa_policy',
    'set_my_mfa',
    'create_integration',
    'connect_cloud_account',
    'discover_organization',
    'start_scan',
    'create_schedule',
    'create_suppression',
    'preview_suppression',
    'bulk_triage',
    'risk_what_if',
    'set_risk_settings',
    'create_export',
    'import_sbom',
    'set_sla_policy',
    'set_posture_settings',
    ...CLIENT_CHOSEN,
    // of what was made under that id of one's own
    'remove_saved_filter',
  ];
  const segmentOf = (engine: string) => findingEngines.find((one) => one.engine === engine)?.viewSegment ?? findingEngines[0]!.viewSegment;
  type Result = { status: number; data?: Record<string, unknown>; errors?: readonly GraphQLFormattedError[] };
  const run = async (name: string, ids: Ids): Promise<Result> => {
    const field = rootFields.find((one) => one.name === name)!;
    const { query, variables } = operationOf(field, ids, segmentOf(field.engine));
    return client.graphql<Record<string, never>>(query, variables) as Promise<Result>;
  };

  it.each(rootFields.map(({ name }) => [name]))('%s knows nothing of another tenant', async (name) => {
    const field = rootFields.find((one) => one.name === name)!;
    const [theirs, absent] = [await run(name, foreign), await run(name, ABSENT)];
    if (UNTARGETED.includes(name)) return expectNoMark(JSON.stringify(theirs));
    const [text, expected] = [theirs, absent].map((result) => JSON.stringify(result));
    const asked = Object.values(operationOf(field, foreign, segmentOf(field.engine)).variables)
      .flat()
      .filter((value) => typeof value === 'string');
    // what was asked for comes back in one place: the resource that has no findings
    const told = asked.reduce(
      (rest, value) => rest.replaceAll(`"resource_uid":"${value}"`, `"resource_uid":"${ABSENT['resource_uid']}"`),
      text!,
    );
    expect(told).toBe(expected);
    expectNoMark(told);
    if (field.kind === 'query' && !FOR_ORG_ADMIN.includes(name)) expect(theirs).toMatchObject({ status: 200 });
    if (
      field.node.arguments?.some(
        ({ type, name: { value } }) => type.kind === 'NonNullType' && !['resource_uids', 'finding_ids', 'provider'].includes(value),
      )
    )
      expect(theirs.data?.[name] ?? null).toBeNull();
  });

  it('joins from the own finding to nothing of another tenant', async () => {
    const uid = `arn:aws:s3:::shared`;
    const shared = markedSamples('shared')
      .slice(0, 1)
      .map((sample) => ({ ...sample, resource: uid }));
    await feed(client, 'check', shared, { source: OWN });
    const theirs = markedSamples(FOREIGN).map((sample) => ({ ...sample, resource: uid }));
    const other = await two.as('tenant_admin');
    await feed(other, 'check', theirs, { source: FOREIGN });
    await feed(other, 'vulnerability', theirs, { source: FOREIGN });
    const findings = fieldsOf('Asset').flatMap(({ node, requires }) =>
      requires === '' ? [] : [`${node.name.value} { title rule { title } }`],
    );
    const query = `query($uid: ID!) { asset(resource_uid: $uid) { resource_name account_id tags provider_metadata ${findings.join(' ')} } }`;
    const { data } = await client.graphql<{ asset: Record<string, unknown[]> }>(query, { uid });
    expect(data!.asset['check_findings']).toEqual([{ title: 'Title 1 of shared', rule: { title: 'Title 1 of shared' } }]);
    expect(data!.asset['vulnerability_findings']).toEqual([]);
    expectNoMark(JSON.stringify(data));
  });
});
