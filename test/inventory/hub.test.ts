import { edgeRowId, edges, type EdgeRow } from '../../subgraphs/di/records.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const EDGES = 100_000;
const AT_ONCE = 10_000;
const ROLE = 'arn:aws:iam::111122223333:role/hub';
const STATE = {
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'hub' },
  resources: [
    {
      ...{ mode: 'managed', type: 'aws_iam_role', name: 'hub', provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
      instances: [{ attributes: { arn: ROLE, name: 'hub', id: 'hub' } }],
    },
  ],
};

interface Answer {
  cut: boolean;
  cut_at?: string | null;
  edges?: unknown[];
  nodes?: unknown[];
  reached?: number;
}

/** What is told of the hub, with the size of the answer. */
async function told(client: Client, path: string): Promise<Answer> {
  const { status, body, text } = await client.call<Answer>(path);
  expect([path, status]).toEqual([path, 200]);
  expect(text.length).toBeLessThan(1_500_000);
  return body;
}

it('of a resource with 100,000 edges a bounded part is told, which says that it is cut', async () => {
  const tenant = await world.tenant();
  const client = await tenant.as('analyst');
  expect(await client.import(STATE)).toMatchObject({ state: 'COMPLETED' });
  const { _id: tenant_id } = tenant.tenant;
  const rows = world.database.tenant(tenant_id).collection(edges);
  for (let at = 0; at < EDGES; at += AT_ONCE)
    await rows.insertMany(
      Array.from({ length: AT_ONCE }, (_, n): EdgeRow => {
        const [from, to, kind] = [ROLE, `${ROLE}/${at + n}`, 'may_assume'] as const;
        return { _id: edgeRowId(tenant_id, from, to, kind), tenant_id, from, to, kind } as EdgeRow;
      }),
    );
  const own = encodeURIComponent(ROLE);
  expect((await told(client, `/api/v1/inventory/asset/${own}/relationships?depth=2`)).edges).toHaveLength(500);
  expect(await told(client, `/api/v1/inventory/asset/${own}/relationships?depth=2`)).toMatchObject({ cut: true });
  const graph = await told(client, `/api/v1/inventory/graph?resource_uid=${own}&depth=3&limit=500`);
  expect([graph.nodes!.length, graph.edges!.length, graph.cut]).toEqual([500, 499, true]);
  for (const depth of [1, 6]) {
    const radius = await told(client, `/api/v1/inventory/asset/${own}/blast-radius?depth=${depth}`);
    expect([radius.reached, radius.nodes!.length, radius.cut]).toEqual([2_000, 2_000, true]);
  }
});
