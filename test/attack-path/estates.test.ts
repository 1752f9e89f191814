import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { systemAuthContext } from '../../kit/base/auth-context.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import { Database } from '../../kit/store/database.js';
import { accessNodes } from '../../subgraphs/di/access/records.js';
import { blastRadius } from '../../subgraphs/di/links/blast-radius.js';
import { assetRowId, assets, edgeRowId, edges, type AssetRow, type EdgeRow } from '../../subgraphs/di/records.js';
import { partOf, pathsOf, pointsOf, RCE, type Sketch } from './estate.js';

interface Expected {
  readonly paths: readonly string[];
  readonly choke_points: readonly string[];
  /** What is held -> `resource hops` of all that its holder gets to. */
  readonly blast_radius: Readonly<Record<string, readonly string[]>>;
}
type Estate = Sketch & { readonly held: readonly string[] };

const read = <T>(file: string) => load(readFileSync(join(__dirname, file), 'utf8')) as Readonly<Record<string, T>>;
const estates = read<Estate>('estates.yaml');
const expected = read<Expected>('estates.expected.yaml');

/** What the sketches of the file call the usual holes. */
const HOLES: readonly (readonly [RegExp, string])[] = [
  [/^LOG4SHELL$/, `CVE-2021-44228 org.apache.logging.log4j:log4j-core ${RCE} 0.94 known`],
  [/^SSRF$/, `CVE-2024-0918 nginx ${RCE} 0.9`],
  [/^NGINX (.*)$/, `CVE-2024-0001 nginx ${RCE} $1`],
];
const sketchOf = ({ holes = {}, ...estate }: Estate): Sketch => ({
  ...estate,
  holes: Object.fromEntries(
    Object.entries(holes).map(([uid, hole]) => [uid, HOLES.reduce((text, [form, written]) => text.replace(form, written), hole)]),
  ),
});

let database: Database;
beforeAll(async () => {
  const collections = [assets, edges, accessNodes] as never[];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `estates_${randomUUID().slice(0, 8)}`, collections);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

/** What who holds a resource gets to, by the edges of a tenant of its own. */
async function radius(sketch: Sketch, held: readonly string[]): Promise<Expected['blast_radius']> {
  const tenant_id = randomUUID();
  const tenant = database.tenant(tenant_id);
  const { assets: all = [], edges: told = [] } = partOf(sketch);
  await tenant
    .collection(assets)
    .insertMany(all.map((one) => ({ ...one, _id: assetRowId(tenant_id, one.resource_uid), tenant_id }) as never as AssetRow));
  await tenant
    .collection(edges)
    .insertMany(
      told.map(
        ({ from, to, kind, access }) =>
          ({ _id: edgeRowId(tenant_id, from, to, kind), tenant_id, from, to, kind, access }) as never as EdgeRow,
      ),
    );
  const auth = systemAuthContext({ tenant_id, organization_id: 'none', plan: 'enterprise' }, 'viewer', ['inventory:read']);
  const context = createEngineContext({ database } as EngineServices, 'di', auth, new AbortController().signal);
  const found: Record<string, string[]> = {};
  for (const resource_uid of held) {
    const { nodes, cut } = (await blastRadius(context, { resource_uid, depth: 6 }))!;
    expect(cut).toBe(false);
    found[resource_uid] = nodes.map((node) => `${node.resource_uid} ${node.hops}`).sort();
  }
  return found;
}

const cases = Object.entries(estates).map(([name, estate]) => ({ name, estate, sketch: sketchOf(estate) }));

it('there are 25 estates of two providers at least, each with what follows from it', () => {
  expect(cases.length).toBeGreaterThanOrEqual(25);
  expect(Object.keys(expected)).toEqual(Object.keys(estates));
  for (const { name, sketch } of cases) {
    const providers = new Set(Object.values(sketch.assets).map((text) => text.split(' ')[0]));
    expect([name, providers.size >= 2]).toEqual([name, true]);
  }
});

it.each(cases)('$name', async ({ name, estate, sketch }) => {
  const found = { paths: pathsOf(sketch), choke_points: pointsOf(sketch), blast_radius: await radius(sketch, estate.held) };
  expect(found).toEqual(expected[name]);
});
