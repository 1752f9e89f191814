import { Kind } from 'graphql';
import { endpoints, hasPathParameter, pathOf, withQuery } from '../contract/registry-facts.js';
import { seedTenant } from '../contract/seeds.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
let client: Client;
let ids: Readonly<Record<string, string>>;
beforeAll(async () => {
  world = await openWorld();
  const tenant = await world.tenant();
  ids = await seedTenant(tenant, 'operators');
  client = await tenant.as('org_admin');
});
afterAll(() => world.close());

const lists = endpoints.filter(({ route }) => route.method === 'GET');
const filters = lists.flatMap((endpoint) =>
  (endpoint.field.node.arguments ?? [])
    .map(({ name, type }) => ({ name: name.value, isList: JSON.stringify(type).includes(Kind.LIST_TYPE) }))
    .filter(({ name }) => !endpoint.route.path.includes(`{${name}}`))
    .map(({ name, isList }) => [`${endpoint.name}?${name}`, endpoint, name, isList] as const),
);

describe('N1: an operator in the query', () => {
  it.each(lists.map((endpoint) => [endpoint.name, endpoint] as const))('%s answers without one', async (_name, endpoint) => {
    expect((await client.call(pathOf(endpoint, ids))).status).toBe(200);
  });

  it.each(filters)('on %s is a 400, never a wider result', async (_name, endpoint, name, isList) => {
    const path = pathOf(endpoint, ids);
    const repeated = isList ? [] : [`${name}=1&${name}=2`];
    for (const query of [`${name}[$ne]=x`, `${name}[$regex]=.*`, `${name}[]=x`, `${name}.$gt=`, `$where=1`, ...repeated]) {
      const { status, body } = await client.call(withQuery(path, query));
      expect({ query, status, code: body['error_code'] }).toEqual({ query, status: 400, code: 'BAD_REQUEST' });
    }
  });

  it.each(lists.filter((endpoint) => !hasPathParameter(endpoint)).map((endpoint) => [endpoint.name, endpoint] as const))(
    'as a parameter that %s does not know is a 400',
    async (_name, endpoint) => {
      for (const query of ['severty=high', '__proto__=x', '__proto__[polluted]=1', 'constructor[prototype][polluted]=1', 'tenant_id=other'])
        expect({ query, status: (await client.call(withQuery(pathOf(endpoint, ids), query))).status }).toEqual({ query, status: 400 });
    },
  );
});
