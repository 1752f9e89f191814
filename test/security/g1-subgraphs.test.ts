import { engines } from '../../subgraphs/index.js';
import { seedTenant } from '../contract/seeds.js';
import { openWorld, type TestTenant, type World } from '../support/world.js';
import { openEngines, type EnginesPort } from './engines.js';

let world: World;
let one: TestTenant;
let two: TestTenant;
let own: Readonly<Record<string, string>>;
let foreign: Readonly<Record<string, string>>;
let port: EnginesPort;
beforeAll(async () => {
  world = await openWorld();
  [one, two] = [await world.tenant(), await world.tenant()];
  [own, foreign] = [await seedTenant(one, 'gone'), await seedTenant(two, 'gtwo')];
  port = await openEngines(world, process.env['PALISADE_TEST_DB']!);
});
afterAll(async () => {
  await port.process.end('SIGTERM');
  await world.close();
});

const SERVICE = '{ _service { sdl } }';
const ASSETS =
  'query($representations: [_Any!]!) { _entities(representations: $representations) { ... on Asset { resource_uid region configuration } } }';
const asset = (resource_uid: string) => ({ __typename: 'Asset', resource_uid });

describe('G1: a subgraph', () => {
  it.each(engines.map(({ name }) => name))('%s tells neither its schema nor entities without a context', async (engine) => {
    for (const body of [{ query: SERVICE }, { query: ASSETS, variables: { representations: [asset(own['resource_uid']!)] } }]) {
      const { status } = await port.raw(engine, JSON.stringify(body), {});
      expect(status).toBe(401);
    }
    const { status, body } = await port.call(engine, SERVICE, await port.contextOf(one, 'viewer'));
    expect(status).toBe(200);
    expect((body.data!['_service'] as { sdl: string }).sdl).toContain('type Query');
  });

  it("gives null for another tenant's entities, and its own ones beside them", async () => {
    const auth = await port.contextOf(one, 'tenant_admin');
    const representations = [asset(own['resource_uid']!), asset(foreign['resource_uid']!), asset('arn:aws:s3:::nobody')];
    const { body, text } = await port.call('di', ASSETS, auth, { representations });
    const entities = body.data!['_entities'] as ({ resource_uid: string; region: string | null } | null)[];
    expect(entities[0]).toMatchObject({ resource_uid: own['resource_uid'], region: 'gone-region' });
    expect(entities[1]?.region ?? null).toBeNull();
    expect(entities[2]?.region ?? null).toBeNull();
    expect(text).not.toContain('gtwo-region');
  });

  it("joins none of another tenant's findings to an entity that the caller names", async () => {
    const auth = await port.contextOf(one, 'tenant_admin');
    const query =
      'query($representations: [_Any!]!) { _entities(representations: $representations) { ... on Asset { check_findings { title } } } }';
    const { body } = await port.call('check', query, auth, {
      representations: [asset(own['resource_uid']!), asset(foreign['resource_uid']!)],
    });
    const [mine, theirs] = body.data!['_entities'] as { check_findings: unknown[] }[];
    expect(mine!.check_findings).toHaveLength(1);
    expect(theirs!.check_findings).toEqual([]);
  });

  it('answers 1,000 representations at most', async () => {
    const auth = await port.contextOf(one, 'tenant_admin');
    const ask = async (count: number) => {
      const representations = Array.from({ length: count }, () => asset(own['resource_uid']!));
      return port.call('di', ASSETS, auth, { representations });
    };
    expect((await ask(1_000)).body.data!['_entities']).toHaveLength(1_000);
    const { body } = await ask(1_001);
    expect(body.errors![0]!.extensions.code).toBe('BAD_REQUEST');
    expect(body.data ?? null).toBeNull();
  });
});
