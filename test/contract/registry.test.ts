import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kind, type ASTNode, type DocumentNode, visit } from 'graphql';
import { engineDocument } from '../../kit/engine/schema.js';
import { engines } from '../../subgraphs/index.js';
import { gatewayPaths } from '../../rest/openapi-gateway.js';
import { PERMISSION_MATRIX, PERMISSIONS, ROLES, permissionsOf, type Permission } from '../../schema/permissions.js';
import { ERROR_TABLE } from '../../schema/error-table.js';
import { DUE_INDEX } from '../../kit/work/due.js';
import { endpoints, fieldsOf, findingEngines, modelFields, rootFields } from './registry-facts.js';
import { needing, shared } from '../support/shared.js';

const root = join(__dirname, '../..');

/** Descriptions that are right although they are no sentence. */
const NO_SENTENCE: readonly string[] = [];
/** Root fields over the graph only: what finding engines have for the universal views, and nothing else. */
const GRAPH_ONLY = /^[a-z_]+_(finding|findings_on|findings_by_id|timeline|set_status|set_ticket|techniques)$|^open_ticket$|^export_piece$/;
/** Collections that span tenants: reached through the loud door, `database.system`, alone. */
const SYSTEM_COLLECTIONS = [
  'domain_claims',
  'domain_holders',
  'organizations',
  'users',
  'sessions',
  'mailed_codes',
  'pending_totp',
  'second_steps',
  'sign_in_attempts',
  'projection_versions',
  'detection_versions',
  'workers',
  'cve_intelligence',
  'advisories',
  'feed_states',
];
/**
 * Indexes that serve the loud door, beside the one by which workers take what is due: the tenants of a person or of a mail domain at
 * sign-in, rows that end by themselves, the requests of the operator's staff, what feeds tell everybody.
 */
const SYSTEM_INDEXES = [
  ...['memberships.user_id', 'jobs.created_at', 'tenant_usage.expires_at', 'support_accesses.staff_user_id', 'schedule_firings.claimed_at'],
  ...['job_fences.expires_at', 'call_paces.free_at'],
  ...['cve_intelligence.kev.added_on', 'advisories.packages', 'advisories.cves', 'advisories.change'],
];
const MAX_LINES = 250;
/** Fields of finding engines that register what reports will come of. */
const REGISTERS: readonly string[] = ['create_enrollment_token', 'remove_agent_host', 'register_technology'];

const DESCRIBED = new Set<string>([
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.INPUT_OBJECT_TYPE_DEFINITION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.SCALAR_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.UNION_TYPE_DEFINITION,
  Kind.DIRECTIVE_DEFINITION,
  Kind.FIELD_DEFINITION,
  Kind.INPUT_VALUE_DEFINITION,
  Kind.ENUM_VALUE_DEFINITION,
]);

function* undescribed(document: DocumentNode): Iterable<string> {
  const path: string[] = [];
  const wrong: string[] = [];
  visit(document, {
    enter(node: ASTNode) {
      if (!('name' in node) || !node.name) return;
      path.push(node.name.value);
      if (!DESCRIBED.has(node.kind)) return;
      const isRootType = node.kind === Kind.OBJECT_TYPE_DEFINITION && (node.name.value === 'Query' || node.name.value === 'Mutation');
      const isDirectiveArgument = node.kind === Kind.INPUT_VALUE_DEFINITION && path[0] === 'permission';
      if (isRootType || isDirectiveArgument) return;
      const text = 'description' in node ? node.description?.value.trim() : undefined;
      const where = path.join('.');
      if (!text) wrong.push(`${where} has no description`);
      else if (!/^\S.*[.]$/s.test(text) && !NO_SENTENCE.includes(where)) wrong.push(`${where}: "${text}" does not end with a period`);
    },
    leave(node: ASTNode) {
      if ('name' in node && node.name) path.pop();
    },
  });
  yield* wrong;
}

describe.each(engines.map((engine) => [engine.name, engine] as const))('the engine %s', (name, engine) => {
  it('describes every type, field, argument and value in sentences', () => {
    expect([...undescribed(engineDocument(engine))]).toEqual([]);
    expect(engine.description).toMatch(/^[A-Z].*\.$/);
    expect(engine.label).toMatch(/^[A-Z]/);
  });

  it('asks for a permission on every root field', () => {
    expect(rootFields.filter((field) => field.engine === name && field.requires === '').map((field) => field.name)).toEqual([]);
  });

  it('keeps rows by tenant: every index begins with tenant_id', () => {
    const wrong = engine.collections.flatMap(({ name: collection, indexes }) =>
      SYSTEM_COLLECTIONS.includes(collection)
        ? []
        : indexes
            .filter((index) => index !== DUE_INDEX)
            .map(({ key }) => `${collection}.${Object.keys(key)[0]}`)
            .filter((index) => !index.endsWith('.tenant_id')),
    );
    expect(wrong.filter((index) => !SYSTEM_INDEXES.includes(index))).toEqual([]);
  });

  it('has rows of a tenant in every collection that is not named as a system one', () => {
    const without = engine.collections.filter(
      ({ name: collection, schema }) => !SYSTEM_COLLECTIONS.includes(collection) && schema.path('tenant_id') === undefined,
    );
    expect(without.map(({ name: collection }) => collection)).toEqual([]);
  });

  it('has small files', () => {
    const folder = join(root, 'subgraphs', name);
    const long = readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ file, lines: readFileSync(join(folder, file), 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });
});

describe('the list', () => {
  it('names every folder of subgraphs/, and only folders', () => {
    const folders = readdirSync(join(root, 'subgraphs'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(engines.map(({ name }) => name).sort()).toEqual(folders.map((entry) => entry.name).sort());
  });

  it('names no engine, prefix, view segment or root field twice', () => {
    for (const names of [
      engines.map(({ name }) => name),
      // settings lie beside each other, each with the engine that goes by them
      engines.flatMap(({ prefixes }) => prefixes.filter((prefix) => prefix !== 'settings')),
      findingEngines.map(({ viewSegment }) => viewSegment),
      rootFields.map(({ name }) => name),
    ]) {
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
  });

  it('hides the fields of read models from clients, and only them', () => {
    expect(modelFields.length).toBeGreaterThan(0);
    for (const { name, requires } of modelFields) expect([name, requires]).toEqual([name, expect.stringMatching(/^model:[a-z_]+$/)]);
    expect(rootFields.filter(({ requires }) => requires.includes('model:')).map(({ name }) => name)).toEqual([]);
  });

  it('gives every root field a REST route, or marks it @graphOnly for a named reason', () => {
    const routed = new Set(endpoints.map(({ route }) => route.field));
    expect(rootFields.filter(({ name, graphOnly }) => routed.has(name) === graphOnly).map(({ name }) => name)).toEqual([]);
    expect(rootFields.filter(({ name, graphOnly }) => graphOnly && !GRAPH_ONLY.test(name)).map(({ name }) => name)).toEqual([]);
  });
});

/**
 * What a reader of each finding engine must hold: view segment -> prefix and permission, as the specification has them. An engine that it
 * does not have gets its line here: who reads its findings is said twice, so that a slip of the one is seen by the other.
 */
const READERS: Readonly<Record<string, readonly [prefix: string, permission: Permission]>> = {
  check: ['check', 'check:read'],
  iam: ['iam-security', 'iam:read'],
  ciem: ['ciem', 'ciem:read'],
  datasec: ['data-security', 'datasec:read'],
  dbsec: ['database-security', 'dbsec:read'],
  encryption: ['encryption', 'encryption:read'],
  'network-security': ['network-security', 'network:read'],
  'container-security': ['container-security', 'container:read'],
  cwpp: ['cwpp', 'container:read'],
  cnapp: ['cnapp', 'risk:read'],
  agent: ['agent', 'discoveries:read'],
  cdr: ['cdr', 'threat:read'],
  threat: ['threat', 'threat:read'],
  'ai-security': ['ai-security', 'ai_security:read'],
  'api-security': ['apisec', 'threat:read'],
  secops: ['secops', 'secops:read'],
  vulnerability: ['vulnerability', 'vulnerability:read'],
  'attack-path': ['attack-paths', 'threat:read'],
  technology: ['technology', 'check:read'],
};

describe('the finding engines', () => {
  it('have the view segment, prefix and permission of the specification', () => {
    expect(findingEngines.map(({ viewSegment }) => viewSegment).sort()).toEqual(Object.keys(READERS).sort());
    for (const { viewSegment, prefix, permission } of findingEngines)
      expect([viewSegment, prefix, permission]).toEqual([viewSegment, ...READERS[viewSegment]!]);
  });

  it('ask for their own permission on every root field and on their findings of an asset', () => {
    for (const { engine, permission } of findingEngines) {
      const own = [...rootFields, ...fieldsOf('Asset').filter(({ requires }) => requires !== '')].filter(
        (field) => field.engine === engine,
      );
      expect(own.length).toBeGreaterThan(6);
      // agents and technologies are registered by those who may connect accounts
      for (const { node, requires } of own)
        expect([permission, `${permission}+scans:create`, ...(REGISTERS.includes(node.name.value) ? ['accounts:write'] : [])]).toContain(
          requires,
        );
    }
  });
});

describe('the matrix of permissions', () => {
  it('is the one of the specification', () => {
    const admins = ['platform_admin', 'org_admin', 'tenant_admin'];
    const everyone = ['discoveries', 'inventory', 'check', 'threat', 'compliance', 'iam', 'network', 'risk', 'reports', 'scans'].map(
      (feature) => `${feature}:read`,
    );
    const sensitive = ['vulnerability', 'datasec', 'container', 'dbsec', 'ai_security', 'encryption', 'secops', 'ciem'].map(
      (feature) => `${feature}:read`,
    );
    const expected = Object.fromEntries([
      ...everyone.map((permission) => [permission, ROLES]),
      ...[...sensitive, 'scans:create', 'reports:write'].map((permission) => [permission, [...admins, 'analyst']]),
      ...['tenants:read', 'tenants:write', 'users:read', 'users:write', 'accounts:read'].map((permission) => [permission, admins]),
      ...['accounts:write', 'billing:read'].map((permission) => [permission, ['platform_admin', 'org_admin']]),
    ]) as typeof PERMISSION_MATRIX;
    expect(PERMISSION_MATRIX).toEqual(expected);
    expect(PERMISSIONS).toHaveLength(27);
    expect(ROLES.map((role) => permissionsOf(role).length)).toEqual([27, 27, 25, 20, 10]);
  });
});

describe('the table of errors', () => {
  it('has one status for each code, and a sentence', () => {
    const statuses = Object.values(ERROR_TABLE).map(({ status }) => status);
    expect(new Set(statuses).size).toBe(statuses.length);
    for (const { meaning } of Object.values(ERROR_TABLE)) expect(meaning).toMatch(/^[A-Z].*\.$/);
  });
});

const table = shared('design/endpoints.tsv');
/** Endpoints that the table does not have, with their permission and the decision that asks for them. */
const BEYOND: Readonly<Record<string, string>> = {
  // 63: a tenant that was ended can be taken back
  'POST /api/v1/tenants/{tenant_id}/restore': 'tenants:write',
  // the state of the log, beside the log
  'GET /api/v1/audit-logs/verification': 'tenants:read',
  // what detections and entitlements are made of can be looked at
  // the same coverage as a file that ATT&CK Navigator opens
  'GET /api/v1/threat/mitre-coverage/navigator-layer': 'threat:read',
  'GET /api/v1/cdr/events': 'threat:read',
  'GET /api/v1/cdr/events/{event_uid}': 'threat:read',
  'GET /api/v1/cdr/log-coverage': 'threat:read',
  'GET /api/v1/ciem/entitlements/{identity_uid}': 'ciem:read',
  // how old findings are, beside their groups and facets
  'GET /api/v1/findings/ageing': 'check:read',
  // which artifacts have a bill of materials
  'GET /api/v1/secops/sboms': 'secops:read',
};

/** The table of endpoints, when this checkout has it: `METHOD path` -> permission. */
const designed = (): Map<string, string> => {
  const [, ...lines] = readFileSync(table!, 'utf8').trimEnd().split('\n');
  const listed = lines.map((line) => line.split('\t')).map(([method, path, , , permission]) => [`${method} ${path}`, permission!] as const);
  return new Map([...Object.entries(BEYOND), ...listed]);
};

/** The tag of every operation of the OpenAPI document: `METHOD path` -> tag. */
const tags = (): Map<string, string> => {
  const outside = Object.entries(gatewayPaths(engines)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, (operation['tags'] as string[])[0]!] as const),
  );
  return new Map([...endpoints.map(({ route }) => [`${route.method} /api/v1${route.path}`, route.tag!] as const), ...outside]);
};

needing(table).describe('the table of endpoints, where endpoints.tsv is at hand', () => {
  const ownPath = ({ path }: { path: string }) => `/api/v1${path}`;

  it('has every endpoint in the document, under the name of its router', () => {
    const known = tags();
    const rows = readFileSync(table!, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'));
    const named = new Set(rows.map(([method, path]) => `${method} ${path}`));
    // a line may stand for the lists of all engines, or for the hooks of all kinds
    const standsFor = (line: string, key: string) => {
      const [parts, others] = [line.split('/'), key.split('/')];
      return parts.length === others.length && parts.every((part, n) => [others[n], '{engine}', '{kind}'].includes(part));
    };
    const wrong = rows.flatMap(([method, path, router]) => {
      const line = `${method} ${path}`;
      const found = [...known].filter(([key]) => key === line || (!known.has(line) && !named.has(key) && standsFor(line, key)));
      if (found.length === 0) return [`${line} is missing`];
      return found.filter(([, tag]) => tag !== router).map(([key, tag]) => `${key} is tagged ${tag}, its router is ${router}`);
    });
    expect(wrong).toEqual([]);
  });

  it('names every implemented route with the permission that it asks for', () => {
    const known = designed();
    const anyEngine = new Map([...known].filter(([key]) => key.includes('/{engine}/')));
    const wrong = endpoints.flatMap(({ route, field }) => {
      const key = `${route.method} ${ownPath(route)}`;
      const generic = anyEngine.get(`${route.method} /api/v1/{engine}/${route.path.split('/').slice(2).join('/')}`);
      const permission =
        known.get(key) ?? (findingEngines.some(({ prefix }) => route.path.startsWith(`/${prefix}/`)) ? generic : undefined);
      if (permission === undefined) return [`${key} is not in the table`];
      const own = findingEngines.find(({ prefix }) => route.path.startsWith(`/${prefix}/`))?.permission;
      const wanted = known.has(key) ? permission.replace('<engine>', '{engine}') : permission.replace('<engine>:read', own!);
      // the table speaks of roles and permissions; that a person must ask is told by the field alone
      const parts = field.requires.split('+').filter((part) => part !== 'any' && part !== 'person');
      const asked = parts.join('+').replace(/^role:(.*)$/, '($1)') || '(any role)';
      return asked === wanted ? [] : [`${key} asks for ${asked}, the table says ${wanted}`];
    });
    expect(wrong).toEqual([]);
  });
});
