import { gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import Fastify, { type FastifyInstance } from 'fastify';
import { collectEndpoints } from '../../gateway/http/method-not-allowed.js';
import { ERROR_TABLE } from '../../schema/error-table.js';
import { hookPath } from '../../gateway/hooks.js';
import type { OpenApiDocument } from '../../rest/openapi.js';
import { gatewayPaths } from '../../rest/openapi-gateway.js';
import { engines as listed } from '../../subgraphs/index.js';
import { createWorld } from '../sign-in/world.js';
import { breaches } from './json-schema.js';
import { as, createTestApp } from './support-app.js';
import { engines } from './support-engines.js';

type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: unknown[];
  parameters: Record<string, unknown>[];
  requestBody?: Record<string, never>;
  responses: Record<string, Record<string, never>>;
};

let app: FastifyInstance;
let document: OpenApiDocument;
beforeAll(async () => {
  ({ app } = await createTestApp());
  document = (await app.inject('/gateway/openapi.json')).json();
});
afterAll(() => app.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation as unknown as Operation] as const),
  );
const operationOf = (name: string) => new Map<string, Operation>(operations()).get(name)!;
/** The parameters of an operation, shared ones too. */
const parametersOf = (name: string) =>
  operationOf(name).parameters.map((one) =>
    typeof one.$ref === 'string' ? document.components.parameters[one.$ref.split('/').at(-1)!]! : one,
  );
const response = (operation: Operation, status: number): Record<string, never> => {
  const found = operation.responses[String(status)]!;
  const reference = (found as { $ref?: string }).$ref;
  return reference ? (document.components.responses[reference.split('/').at(-1)!] as Record<string, never>) : found;
};

test('the document is valid OpenAPI 3.1', async () => {
  expect(await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>)).toMatchObject({ valid: true });
  expect(document.openapi).toMatch(/^3\.1/);
});

test('every route of every engine is in it, and nothing below /api/v1 besides', () => {
  const routed = engines.flatMap(({ routes }) => routes.map(({ method, path }) => `${method} /api/v1${path}`));
  const documented = operations()
    .map(([name]) => name)
    .filter((name) => name.includes(' /api/v1/'));
  expect(documented.sort()).toEqual(routed.sort());
});

test('every route of signing in is in it, and no other', async () => {
  const world = await createWorld();
  const routes = Fastify();
  const endpoints = collectEndpoints(routes);
  world.auth.registerRoutes(routes);
  await routes.ready();
  const routed = endpoints
    .filter(({ method }) => method !== 'HEAD')
    .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
  const documented = operations()
    .map(([name]) => name)
    .filter((name) => / (\/api)?\/auth\//.test(name));
  expect(documented.sort()).toEqual([...new Set(routed)].sort());
  await routes.close();
  await world.close();
});

test('every hook of every engine is in it, as its engine describes it, and no other', () => {
  const declared = listed.flatMap(({ hooks }) => hooks).map(({ kind, description }) => [hookPath(kind, '{id}'), description]);
  const hooks = Object.entries(gatewayPaths(listed)).filter(([path]) => path.startsWith('/gateway/hooks/'));
  expect(declared.length).toBeGreaterThan(0);
  expect(hooks.map(([path, { post }]) => [path, post!.description])).toEqual(declared);
  expect(Object.keys(gatewayPaths([])).filter((path) => path.startsWith('/gateway/hooks/'))).toEqual([]);
});

test('every operation is complete', () => {
  const ids = operations().map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [name, operation] of operations()) {
    expect([name, operation.summary, operation.description, operation.tags[0]]).toEqual([
      name,
      expect.stringMatching(/\S/),
      expect.stringMatching(/\S/),
      expect.stringMatching(/\S/),
    ]);
    const pathParameters = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    expect(
      parametersOf(name)
        .filter((parameter) => parameter.in === 'path')
        .map(({ name: own }) => own),
    ).toEqual(pathParameters);
    for (const status of [401, 429, 500])
      if (name.includes('/api/v1/'))
        expect([name, response(operation, status)]).toEqual([
          name,
          expect.objectContaining({
            content: expect.anything(),
            headers: expect.objectContaining({ 'X-RateLimit-Reset': expect.anything() }),
          }),
        ]);
    const good = Object.keys(operation.responses).filter((status) => /^[23]/.test(status));
    const [success, redirect] = ['2', '3'].map((kind) => good.filter((status) => status.startsWith(kind)));
    expect([name, success!.length + redirect!.length > 0, success!.length < 2, redirect!.length < 2]).toEqual([name, true, true, true]);
    if (redirect!.length > 0) expect(name).not.toContain('/api/v1/');
    for (const status of good) expect(response(operation, Number(status)).headers).toHaveProperty('X-RateLimit-Limit');
    if (name.includes('/api/v1/')) {
      const keys = /Requires: `[^`]*\bperson\b/.test(String(operation.description)) ? [] : [{ api_key: [] }];
      expect(operation.security).toEqual([{ access_token: [] }, ...keys]);
    }
  }
  expect(document.components.securitySchemes.access_token).toMatchObject({ type: 'apiKey', in: 'cookie', name: 'access_token' });
});

test('every error of the table is a response', () => {
  for (const [code, { meaning }] of Object.entries(ERROR_TABLE))
    expect(document.components.responses[code]).toMatchObject({ description: meaning });
  expect(document.components.responses.RATE_LIMITED!.headers).toHaveProperty('Retry-After');
});

test('parameters carry defaults, limits and enums', () => {
  const parameters = parametersOf('GET /api/v1/inventory/assets');
  const of = (name: string) => parameters.find((parameter) => parameter.name === name);
  expect(of('page')).toMatchObject({ in: 'query', required: false, schema: { type: 'integer', default: 1, minimum: 1 } });
  expect(of('page_size')).toMatchObject({ schema: { default: 50, minimum: 1, maximum: 200 } });
  expect(of('severity')).toMatchObject({
    style: 'form',
    explode: true,
    schema: { type: 'array', items: { $ref: '#/components/schemas/Severity' } },
  });
  expect(of('after')).toMatchObject({ schema: { type: 'string', format: 'date-time' } });
  expect(document.components.schemas.Severity).toMatchObject({ type: 'string', enum: ['critical', 'high', 'medium', 'low', 'info'] });
  expect(parametersOf('PATCH /api/v1/inventory/asset/{resource_uid}')).toContainEqual(
    expect.objectContaining({ name: 'If-Match', in: 'header', required: false }),
  );
});

test('nullable and required are told', () => {
  expect(document.components.schemas.Asset).toMatchObject({
    properties: {
      name: { type: ['string', 'null'] },
      version: { type: 'integer' },
      // marked: the graph alone may have none
      seen_at: { type: 'string', format: 'date-time' },
      parent: { anyOf: [{ $ref: '#/components/schemas/Asset' }, { type: 'null' }] },
    },
  });
  expect(document.components.schemas.Asset).not.toHaveProperty('properties.owner');
  expect((document.components.schemas.Asset!.required as string[]).sort()).toEqual([
    'name',
    'provider',
    'resource_uid',
    'seen_at',
    'tags',
    'version',
  ]);
  expect(document.components.schemas.AssetInput).toMatchObject({ required: ['name'], additionalProperties: false });
  expect(document.components.schemas).not.toHaveProperty('Owner');
});

test.each([
  ['GET', '/api/v1/inventory/assets', '/api/v1/inventory/assets', 200],
  ['GET', '/api/v1/inventory/asset/a', '/api/v1/inventory/asset/{resource_uid}', 200],
  ['GET', '/api/v1/inventory/asset/absent', '/api/v1/inventory/asset/{resource_uid}', 404],
  ['GET', '/api/v1/inventory/assets?page=0', '/api/v1/inventory/assets', 400],
  ['GET', '/api/v1/assets/nothing', '/api/v1/assets/nothing', 200],
  ['GET', '/api/v1/owners/count', '/api/v1/owners/count', 200],
  ['GET', '/api/v1/faults/CRASH', '/api/v1/faults/{code}', 500],
  ['GET', '/api/v1/faults/UPSTREAM_UNAVAILABLE', '/api/v1/faults/{code}', 503],
  ['PATCH', '/api/v1/inventory/asset/a', '/api/v1/inventory/asset/{resource_uid}', 200],
  ['POST', '/api/v1/rules/custom', '/api/v1/rules/custom', 201],
] as const)('%s %s answers as documented', async (method, url, path, status) => {
  const payload = method === 'GET' ? undefined : { name: 'a' };
  const answer = await app.inject({ method, url, headers: as('org_admin'), payload });
  expect(answer.statusCode).toBe(status);
  const { content, headers } = response(operationOf(`${method} ${path}`), status) as unknown as {
    content: Record<string, { schema: Record<string, unknown> }>;
    headers: Record<string, unknown>;
  };
  expect(breaches(document.components.schemas, content['application/json']!.schema, answer.json())).toEqual([]);
  for (const header of Object.keys(headers)) if (header !== 'ETag') expect(answer.headers).toHaveProperty(header.toLowerCase());
});

test('the checker finds breaches', () => {
  const { schemas } = document.components;
  const reference = { $ref: '#/components/schemas/Asset' };
  expect(breaches(schemas, reference, { resource_uid: 3 })).toHaveLength(6);
  expect(breaches(schemas, { anyOf: [reference, { type: 'null' }] }, null)).toEqual([]);
  expect(breaches(schemas, { $ref: '#/components/schemas/Severity' }, 'HIGH')).toHaveLength(1);
});

test('it is sent compressed to who understands that, and plain to who does not', async () => {
  const packed = await app.inject({ url: '/gateway/openapi.json', headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/json; charset=utf-8' });
  const plain = await app.inject('/gateway/openapi.json');
  expect([plain.headers['content-encoding'], gunzipSync(packed.rawPayload).toString() === plain.body]).toEqual([undefined, true]);
});

test('it says which release it describes, and what each tag is about', () => {
  expect(document.info).toMatchObject({ version: '1.2.3' });
  for (const { name, description } of document.tags) expect([name, description.length > 15]).toEqual([name, true]);
});

test('what several lists take is described once', () => {
  const shared = operations().flatMap(([, { parameters }]) => parameters.flatMap(({ $ref }) => $ref ?? []));
  expect(shared).toContain('#/components/parameters/resource_uid');
  for (const [name, parameter] of Object.entries(document.components.parameters)) {
    expect(parameter).toMatchObject({ name });
    expect(shared.filter((reference) => reference === `#/components/parameters/${name}`).length).toBeGreaterThan(1);
    const inline = operations().filter(([, { parameters }]) => parameters.some((one) => JSON.stringify(one) === JSON.stringify(parameter)));
    expect(inline).toEqual([]);
  }
});

test('a list, which is always there, promises no 404, and what a path names does', () => {
  expect(operationOf('GET /api/v1/inventory/assets').responses).not.toHaveProperty('404');
  expect(operationOf('GET /api/v1/inventory/asset/{resource_uid}').responses).toHaveProperty('404');
});

test('an answer may be null only where a null is answered', () => {
  const answerOf = (name: string) =>
    (response(operationOf(name), 200) as unknown as { content: Record<string, { schema: object }> }).content;
  const asset = { $ref: '#/components/schemas/Asset' };
  // the null of a path is its 404
  expect(answerOf('GET /api/v1/inventory/asset/{resource_uid}')['application/json']!.schema).toEqual(asset);
  expect(answerOf('GET /api/v1/assets/nothing')['application/json']!.schema).toEqual({ anyOf: [asset, { type: 'null' }] });
});

test('what is not answered with the envelope says so', () => {
  const contentOf = (name: string, status: string) =>
    (operationOf(name).responses[status] as unknown as { content: Record<string, unknown> }).content;
  for (const status of ['400', '401', '403', '404', '429', '503'])
    expect(Object.entries(contentOf('POST /graphql', status))).toEqual([
      ['application/json', { schema: { $ref: '#/components/schemas/GraphErrors' } }],
      ['application/graphql-response+json', { schema: { $ref: '#/components/schemas/GraphErrors' } }],
    ]);
  expect(operationOf('GET /graphql').responses).toHaveProperty('405');
  expect(Object.keys(contentOf('GET /auth/login/organization', '404'))).toEqual(['text/html']);
});
