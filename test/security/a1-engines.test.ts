import { ROLES } from '../../schema/permissions.js';
import { engines } from '../../subgraphs/index.js';
import { operationOf } from '../contract/operations.js';
import { ABSENT, findingEngines, lacking, rootFields } from '../contract/registry-facts.js';
import { openWorld, type TestTenant, type World } from '../support/world.js';
import { openEngines, type EnginesPort } from './engines.js';

let world: World;
let tenant: TestTenant;
let port: EnginesPort;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  port = await openEngines(world, process.env['PALISADE_TEST_DB']!);
});
afterAll(async () => {
  await port.process.end('SIGTERM');
  await world.close();
});

const cases = rootFields.flatMap((field) => {
  const own = engines.find(({ name }) => name === field.engine)?.findings?.viewSegment ?? null;
  const segments = field.requires.includes('{engine}') ? findingEngines.map(({ viewSegment }) => viewSegment) : [own];
  return segments.map((segment) => [`${field.kind} ${field.name}${segment === null ? '' : ` of ${segment}`}`, field, segment] as const);
});

describe('A1: at the port of its engine, without any gateway,', () => {
  it.each(cases)('%s is refused to exactly the roles that the matrix says', async (_name, field, segment) => {
    const { query, variables } = operationOf(field, ABSENT, segment);
    for (const role of ROLES) {
      const { status, body } = await port.call(field.engine, query, await port.contextOf(tenant, role), variables);
      const lacks = lacking(role, field.requires, segment);
      const refusals = (body.errors ?? []).filter(({ extensions }) => extensions.code === 'FORBIDDEN').map(({ message }) => message);
      // a refusal at the root is a 403; one of several fields beside others is told in the answer
      expect([200, 403]).toContain(status);
      expect([role, refusals.some((message) => message.startsWith('Missing '))]).toEqual([role, lacks.length > 0]);
      if (lacks.length > 0) expect(lacks).toContain(refusals[0]);
    }
  });
});
