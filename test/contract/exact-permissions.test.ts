import { isPermission, type Permission } from '../../schema/permissions.js';
import { engines } from '../../subgraphs/index.js';
import { Client, openWorld, type Answer, type TestTenant, type World } from '../support/world.js';
import {
  CLIENT_CHOSEN,
  ABSENT,
  bodyOf,
  endpoints,
  findingEngines,
  hasPathParameter,
  pathOf,
  takesBody,
  type Endpoint,
  type Ids,
} from './registry-facts.js';
import { seedTenant } from './seeds.js';

let world: World;
let tenant: TestTenant;
let present: Ids;
/** Holds every permission that a key may hold. */
let owner: Client;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  present = await seedTenant(tenant, 'exact');
  owner = await tenant.as('org_admin');
});
afterAll(() => world.close());

const parts = ({ field }: Endpoint): string[] => field.requires.split('+');
/** What exports and reports hold is asked for beside their own permission: findings of the posture engine, here (decision 59). */
const OF_CONTENTS: Readonly<Record<string, readonly Permission[]>> = Object.fromEntries(
  ['create_export', 'set_report', 'export', 'export_file'].map((name) => [name, ['check:read']]),
);
/** The permissions that an endpoint documents, and no other. */
const documented = (endpoint: Endpoint): Permission[] =>
  [...parts(endpoint), ...(OF_CONTENTS[endpoint.route.field] ?? [])].flatMap((part) => {
    const permission = part.startsWith('{') ? findingEngines.find(({ viewSegment }) => viewSegment === endpoint.segment)!.permission : part;
    return isPermission(permission) ? [permission] : [];
  });
/** A key holds at least one: for what asks none, one that nothing else here asks for. */
const UNRELATED: Permission = 'billing:read';

const keys = new Map<string, Promise<string>>();
/** A key with exactly these permissions. */
function keyOf(permissions: readonly Permission[]): Promise<string> {
  const held = permissions.length > 0 ? permissions : [UNRELATED];
  const name = held.join('+');
  const made = keys.get(name) ?? makeKey(name, held);
  keys.set(name, made);
  return made;
}

async function makeKey(name: string, permissions: readonly Permission[]): Promise<string> {
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const { status, body, text } = await owner.call<{ key: string }>('/api/v1/api-keys', { body: { name, permissions, expires_at } });
  if (status !== 201) throw new Error(text);
  return body.key;
}

const byKey = async (endpoint: Endpoint, ids: Ids, body = bodyOf(endpoint.field)): Promise<Answer> => {
  const { method, upload } = endpoint.route;
  const anonymous = new Client(world.url, null, null);
  return anonymous.call(pathOf(endpoint, ids), {
    method,
    headers: { authorization: `Bearer ${await keyOf(documented(endpoint))}` },
    ...(upload ? { raw: '{}' } : { body }),
  });
};

const named = (list: readonly Endpoint[]) =>
  list.map((endpoint) => [`${endpoint.name} with ${endpoint.field.requires}`, endpoint] as const);
const forPeople = (endpoint: Endpoint) => parts(endpoint).some((part) => part === 'person' || part.startsWith('role:'));
const reads = endpoints.filter((endpoint) => endpoint.route.method === 'GET' && !forPeople(endpoint));
const changes = endpoints.filter((endpoint) => endpoint.route.method !== 'GET' && !forPeople(endpoint));

/** What answers hold of other engines' findings, which a caller sees as far as it may read them (decision 39), and of the caller. */
const OF_THE_CALLER: Readonly<Record<string, readonly string[]>> = {
  dashboard: [
    ...['posture_score', 'critical_findings', 'high_findings', 'severity_counts', 'total_resources', 'accounts_connected', 'last_scan'],
    ...['compliance_summary', 'restrictedEngines'],
  ],
  dashboard_trends: ['days', 'restrictedEngines'],
  finding_ageing: ['open', 'mean_age_days', 'bands', 'resolved', 'mean_hours_to_resolve', 'days', 'restrictedEngines'],
  finding_facets: ['total', 'engine', 'severity', 'status', 'provider', 'account_id', 'region', 'resource_type', 'restrictedEngines'],
  finding_groups: ['items', 'total', 'has_more', 'restrictedEngines'],
  findings: ['items', 'total', 'has_more', 'next_cursor', 'restrictedEngines'],
  finding_changes: ['items', 'next_cursor', 'has_more', 'restrictedEngines'],
  vulnerability_cve: ['resources'],
  asset_blast_radius: ['jewels', 'restrictedEngines'],
  attack_paths: ['items'],
  attack_path: ['path', 'nodes', 'steps', 'cheapest_fix'],
  attack_path_choke_points: ['items', 'total', 'has_more'],
  crown_jewels: ['items'],
  cnapp_overview: ['posture', 'workload', 'identity', 'data', 'combinations', 'items', 'restrictedEngines'],
  risk_summary: [
    ...['draws', 'statistics', 'change', 'jewels', 'without_figures', 'paths', 'drivers', 'by_provider', 'at', 'restrictedEngines'],
  ],
  risk_scenarios: ['items', 'total', 'has_more', 'restrictedEngines'],
  // where files are put is told to those who may see integrations
  reports: ['items'],
  risk_blast_radius: ['at', 'entries', 'restrictedEngines'],
  // the calls of this very test count, and so do findings of all engines
  billing_usage: ['months', 'allowances'],
  asset_context: ['identity', 'exposure', 'data', 'findings', 'vulnerabilities', 'secrets', 'paths', 'restrictedEngines'],
  scan_run_diff: ['counts', 'items', 'total', 'has_more', 'restrictedEngines'],
  accounts: ['items', 'total', 'has_more', 'restrictedEngines'],
  account_groups: ['accounts', 'open_findings', 'restrictedEngines'],
  finding_view: ['relatedFindings', 'restrictedEngines'],
  compliance_frameworks: ['by_provider'],
  framework_report: ['by_provider'],
  framework_control: ['failing_findings', 'failing_total', 'restrictedEngines'],
  mitre_coverage: ['tactics', 'restrictedEngines'],
  mitre_navigator_layer: ['techniques', 'gradient'],
  workloads: ['protection', 'runtime_findings', 'open_findings', 'exposure'],
  me: ['permissions', 'readable_engines'],
  suppressions: ['matched_count', 'restrictedEngines'],
  suppression: ['matched_count', 'findings', 'restrictedEngines'],
  sla_policy: ['breaches', 'breaches_by_engine', 'due_soon', 'restrictedEngines'],
};
/** Lists of assets: what each of their rows tells of findings and exposure goes by what the caller may read. */
const OF_ASSETS = new Set(['asset', 'assets', ...engines.flatMap(({ projections }) => projections.map(({ name }) => name))]);
const STANDING = /"(?:open_findings|risk)":\{[^}]*\},?|"exposure":(?:"[a-z]+"|null),?/g;

/** The answer without these fields and without what differs between two calls that see the same. */
function comparable({ body, text }: Answer, endpoint: Endpoint): unknown {
  const left = OF_THE_CALLER[endpoint.route.field];
  const without = (row: object) => Object.fromEntries(Object.entries(row).filter(([field]) => !left!.includes(field)));
  if (left && !left.includes('items') && Array.isArray(body['items'])) return { ...body, items: body['items'].map(without) };
  if (left) return without(body);
  const told = OF_ASSETS.has(endpoint.route.field) ? text.replace(STANDING, '') : text;
  return told.replace(/"(last_used_at|last_used_ip)":("[^"]*"|null)/g, '');
}
/** What removes that again, where it was made before. */
const REMOVES_MADE = ['remove_saved_filter'];

describe('a key with exactly the permission that an endpoint documents', () => {
  it.each(named(reads))('gets the answer of %s that one with every permission gets', async (_name, endpoint) => {
    const exact = await byKey(endpoint, present);
    expect({ status: exact.status, message: exact.body['message'] }).toEqual({ status: 200, message: undefined });
    const full = await owner.call(pathOf(endpoint, present));
    expect(comparable(exact, endpoint)).toEqual(comparable(full, endpoint));
  });

  it.each(named(changes))('is not refused by %s', async (_name, endpoint) => {
    const { status } = await byKey(endpoint, ABSENT);
    const makes = !hasPathParameter(endpoint) || CLIENT_CHOSEN.includes(endpoint.route.field);
    // an empty body is no report
    const expected = endpoint.route.upload
      ? [422]
      : makes
        ? [200, 201, 202]
        : REMOVES_MADE.includes(endpoint.route.field)
          ? [204, 404]
          : [404];
    expect(expected).toContain(status);
  });

  it('is refused by what it does not document', async () => {
    const client = new Client(world.url, null, null);
    const headers = { authorization: `Bearer ${await keyOf(['check:read'])}` };
    for (const endpoint of reads.filter((one) => documented(one).some((permission) => permission !== 'check:read'))) {
      const { status } = await client.call(pathOf(endpoint, present), { headers });
      expect({ name: endpoint.name, status }).toEqual({ name: endpoint.name, status: 403 });
    }
  });
});

describe('what is for people', () => {
  it.each(named(endpoints.filter(forPeople)))('%s refuses a key, and no other reason', async (_name, endpoint) => {
    const { status, body } = await byKey(endpoint, present, takesBody(endpoint.field) ? bodyOf(endpoint.field) : undefined);
    expect({ status, error_code: body['error_code'] }).toEqual({ status: 403, error_code: 'FORBIDDEN' });
  });
});
