import { ROLES } from '../../schema/permissions.js';
import { systemClock } from '../../kit/base/clock.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { addMembership } from '../../accounts/seed.js';
import { engines } from '../../subgraphs/index.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';
import { operationOf } from '../contract/operations.js';
import {
  ABSENT,
  BEYOND_MATRIX,
  bodyOf,
  endpoints,
  fieldsOf,
  findingEngines,
  lacking,
  pathOf,
  rootFields,
  takesBody,
  type Endpoint,
  type Ids,
} from '../contract/registry-facts.js';
import { seedTenant } from '../contract/seeds.js';

let world: World;
let tenant: TestTenant;
let present: Ids;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  present = await seedTenant(tenant, 'own');
});
afterAll(() => world.close());

/** The features that the specification denies to a viewer. */
const SENSITIVE = [
  'vulnerability:read',
  'datasec:read',
  'container:read',
  'dbsec:read',
  'ai_security:read',
  'encryption:read',
  'secops:read',
  'ciem:read',
];

interface Refusal {
  page: string;
  error_code: string;
  message: string;
}

const send = (client: Client, endpoint: Endpoint, ids: Ids, body = bodyOf(endpoint.field)) => {
  const { method, upload } = endpoint.route;
  return client.call<Refusal>(pathOf(endpoint, ids), { method, ...(upload ? { raw: 'no report' } : { body }) });
};

/** What five roles are told: the message of a 403, or `allowed`. */
async function outcomes(
  ask: (client: Client) => Promise<{ status: number; message: string | undefined }>,
): Promise<Record<string, string>> {
  const told = await Promise.all(
    ROLES.map(async (role) => {
      const { status, message } = await ask(await tenant.as(role));
      const isRefused = status === 403 && !BEYOND_MATRIX.includes(message ?? '');
      return [role, isRefused ? (message ?? 'no message') : status >= 500 ? `status ${status}` : 'allowed'] as const;
    }),
  );
  return Object.fromEntries(told);
}

/** What the matrix says: the first lacking permission, in the order of the requirement or with the engine's own last. */
const expected = (requires: string, segment: string | null, told: Record<string, string>) =>
  Object.fromEntries(
    ROLES.map((role) => {
      const lacks = lacking(role, requires, segment);
      return [role, lacks.length === 0 ? 'allowed' : lacks.includes(told[role]!) ? told[role] : lacks.join(' or ')];
    }),
  );

describe.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))('A1: %s', (_name, endpoint) => {
  const { field, segment } = endpoint;

  it('is 403 for exactly the roles that the matrix says, whether its ids exist or not', async () => {
    const absent = await outcomes(async (client) => {
      const { status, body } = await send(client, endpoint, ABSENT);
      return { status, message: body.message };
    });
    expect(absent).toEqual(expected(field.requires, segment, absent));
    // a body that the schema refuses, so that nothing changes under the roles that may
    const isSafe = endpoint.route.method === 'GET' || takesBody(field) || endpoint.route.upload;
    const existing = await outcomes(async (client) => {
      const ids = isSafe ? present : { ...present, ...(await disposable()) };
      const { status, body } = await send(client, endpoint, ids, takesBody(field) ? {} : undefined);
      return { status, message: body.message };
    });
    expect(existing).toEqual(expected(field.requires, segment, existing));
  });

  it('is 401 without a session', async () => {
    const { status, body } = await send(world.anonymous, endpoint, present);
    expect({ status, error_code: body.error_code }).toEqual({ status: 401, error_code: 'UNAUTHENTICATED' });
  });
});

/** Ids of things that may be changed or removed: a member who is there for one call, and a run that is over. */
async function disposable(): Promise<Ids> {
  const other = await (await world.tenant()).as('viewer');
  const membership = { tenant_id: tenant.tenant._id, user: other.user!, role: 'viewer' as const };
  const masterKey = openMasterKey({ PALISADE_SECRET: 'a secret that no membership needs', dataDir: null });
  await addMembership({ database: world.database, clock: systemClock, masterKey }, membership);
  // the sessions of the callers stay: each role ends one that is not there
  return { user_id: other.user!._id, ...(await disposableAccess()) };
}

/** An API key and a request for support access, which the roles may end. */
async function disposableAccess(): Promise<Ids> {
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const key = { name: 'A key', permissions: ['check:read'], expires_at };
  const [made, asked] = await Promise.all([
    (await tenant.as('tenant_admin')).call<{ id: string }>('/api/v1/api-keys', { body: key }),
    (await tenant.as('platform_admin')).call<{ id: string }>('/api/v1/support-access', {
      body: { tenant_id: tenant.tenant._id, reason: 'A ticket' },
    }),
  ]);
  return { 'id:api-keys': made.body.id, 'id:support-access': asked.body.id, 'id:users': ABSENT['id:users']! };
}

describe('A1: over the graph', () => {
  const segmentsOf = (requires: string) => (requires.includes('{engine}') ? findingEngines.map(({ viewSegment }) => viewSegment) : [null]);
  const cases = rootFields.flatMap((field) =>
    segmentsOf(field.requires).map(
      (segment) => [`${field.kind} ${field.name}${segment === null ? '' : ` of ${segment}`}`, field, segment] as const,
    ),
  );

  it.each(cases)('%s is 403 for exactly the roles that the matrix says', async (_name, field, segment) => {
    const { query, variables } = operationOf(
      field,
      ABSENT,
      segment ?? engines.find(({ name }) => name === field.engine)?.findings?.viewSegment ?? null,
    );
    const told = await outcomes(async (client) => {
      const { status, errors, data } = await client.graphql(query, variables);
      if (status === 403) expect({ data, code: errors![0]!.extensions.code }).toEqual({ data: undefined, code: 'FORBIDDEN' });
      if (status === 400) throw new Error(errors![0]!.message);
      return { status, message: errors?.[0]?.message };
    });
    expect(told).toEqual(expected(field.requires, segment, told));
    expect((await world.anonymous.graphql(query, variables)).status).toBe(401);
  });

  const nested = fieldsOf('Asset').filter(({ requires }) => requires !== '');
  it.each(nested.map((field) => [field.node.name.value, field] as const))(
    'Asset.%s is 403 for exactly the roles that the matrix says',
    async (name, { requires }) => {
      const told = await outcomes(async (client) => {
        const { status, errors } = await client.graphql(
          `query($uid: ID!) { asset(resource_uid: $uid) { resource_uid ${name} { finding_id } } }`,
          { uid: present['resource_uid'] },
        );
        return { status, message: errors?.[0]?.message };
      });
      expect(told).toEqual(expected(requires, null, told));
    },
  );

  it('guards fields of every type with a permission of their own', () => {
    const guarded = new Set(
      engines.flatMap(({ document }) =>
        document.definitions.flatMap((node) =>
          'fields' in node && node.fields?.some((field) => field.directives?.some(({ name }) => name.value === 'permission'))
            ? [node.name!.value]
            : [],
        ),
      ),
    );
    expect([...guarded].sort()).toEqual(['Asset', 'Mutation', 'Query']);
  });
});

describe('A1: a viewer', () => {
  it('reads the engines of the specification that are not sensitive, and no others', async () => {
    const viewer = await tenant.as('viewer');
    const seen = await Promise.all(
      findingEngines.map(async ({ prefix, permission }) => [permission, (await viewer.call(`/api/v1/${prefix}/findings`)).status] as const),
    );
    expect(seen).toEqual(findingEngines.map(({ permission }) => [permission, SENSITIVE.includes(permission) ? 403 : 200]));
    expect(seen.map(([, status]) => status).sort()).toEqual(expect.arrayContaining([200, 403]));
  });

  it('is told 403 on a sensitive engine before any mistake in the request', async () => {
    const viewer = await tenant.as('viewer');
    for (const { prefix, viewSegment, permission } of findingEngines.filter((engine) => SENSITIVE.includes(engine.permission))) {
      for (const path of [
        `/${prefix}/findings?page=0`,
        `/${prefix}/findings?no_such=1`,
        `/${prefix}/summary?severity=nope`,
        `/views/finding/${viewSegment}/${ABSENT[`id:${viewSegment}`]}?x=1`,
      ]) {
        const { status, body } = await viewer.call(`/api/v1${path}`);
        expect({ path, status, message: body['message'] }).toEqual({ path, status: 403, message: `Missing permission: ${permission}` });
      }
    }
  });
});
