import { createRestApi } from '../../rest/api.js';
import { composeEngines } from '../../gateway/graph/supergraph.js';
import { createOpenApi } from '../../rest/openapi.js';
import { collectRoutes } from '../../rest/routes.js';
import { defineFindingEngine } from '../../kit/findings/engine.js';
import { as, createTestApp } from './support-app.js';
import { engines } from './support-engines.js';
import { evidence } from '../../subgraphs/check/evidence.js';

const engineOf = (name: string, prefix: string, viewSegment: string) =>
  defineFindingEngine({
    name,
    label: name,
    description: 'Findings for tests.',
    prefixes: [prefix],
    findings: {
      viewSegment,
      permission: 'check:read',
      evidence,
      ruleType: 'config',
      module: { code: 'm', label: 'M' },
      subcategory: () => ({ code: 's', label: 'S' }),
      extensions: () => ({}),
    },
  });

test('lists and summaries of an engine are at its prefix and at its view segment, documented once', async () => {
  const listed = [engineOf('api-security', 'apisec', 'api-security'), engineOf('cwpp', 'cwpp', 'cwpp')];
  const { apiSchema } = composeEngines(listed);
  const routes = collectRoutes(listed, apiSchema);
  expect(routes.map(({ url, aliasUrls }) => [url, aliasUrls])).toEqual([
    ['/api/v1/apisec/findings', ['/api/v1/api-security/findings']],
    ['/api/v1/apisec/summary', ['/api/v1/api-security/summary']],
    ['/api/v1/cwpp/findings', []],
    ['/api/v1/cwpp/summary', []],
  ]);
  const document = createOpenApi(await createRestApi(apiSchema, listed), listed, { version: '1', examples: {} });
  expect(Object.keys(document.paths).filter((path) => path.startsWith('/api/v1/'))).toEqual([
    '/api/v1/apisec/findings',
    '/api/v1/apisec/summary',
    '/api/v1/cwpp/findings',
    '/api/v1/cwpp/summary',
  ]);
});

test('an alias must not be the path of another engine, nor another path than its own', () => {
  const listed = [engineOf('iam', 'iam-security', 'iam'), engineOf('other', 'iam', 'other')];
  expect(() => collectRoutes(listed, composeEngines(listed).apiSchema)).toThrow('GET /iam/findings is taken by');
  const [iam] = listed as [(typeof listed)[0]];
  const changed = { ...iam, routes: iam.routes.map((route) => ({ ...route, aliases: ['/iam/elsewhere'] })) };
  expect(() => collectRoutes([changed], composeEngines([iam]).apiSchema)).toThrow('by more than its first segment');
});

test('an alias answers as the path does, in its own area', async () => {
  const aliased = engines.map((engine) => ({
    ...engine,
    routes: engine.routes.map((route) => (route.path === '/inventory/assets' ? { ...route, aliases: ['/faults/assets'] } : route)),
  }));
  const { app } = await createTestApp({ engines: aliased });
  const [path, alias] = await Promise.all(
    ['inventory', 'faults'].map((area) => app.inject({ url: `/api/v1/${area}/assets?page_size=2`, headers: as('viewer') })),
  );
  expect(path!.statusCode).toBe(200);
  expect([alias!.statusCode, alias!.body]).toEqual([200, path!.body]);
  expect((await app.inject({ url: '/api/v1/faults/assets?page=0', headers: as('viewer') })).json()).toMatchObject({ page: 'faults' });
  expect((await app.inject({ method: 'DELETE', url: '/api/v1/faults/assets', headers: as('viewer') })).statusCode).toBe(405);
  await app.close();
});
