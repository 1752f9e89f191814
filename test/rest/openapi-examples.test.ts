import { readFileSync } from 'node:fs';
import { addExamples, readExamples } from '../../rest/openapi-examples.js';
import type { OpenApiDocument } from '../../rest/openapi.js';
import { printable } from '../../scripts/examples/printable.js';
import { CHANGING, MAKING } from '../../scripts/examples/scenario.js';
import { UNTAKEN } from '../../scripts/examples/untaken.js';
import { breaches } from './json-schema.js';

// The committed document, as the generator has written it.
const document = JSON.parse(readFileSync('schema/openapi.json', 'utf8')) as OpenApiDocument;

type Content = Record<string, { schema: Record<string, unknown>; example?: unknown }>;
interface Operation {
  operationId: string;
  parameters: { name?: string; example?: unknown }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as unknown as Operation[];
const examplesOf = (content: Content | undefined) =>
  Object.values(content ?? {}).flatMap(({ schema, example }) => (example === undefined ? [] : [{ schema, example }]));

test('every operation that is read has an example of its answer', () => {
  const bare = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([, { get }]) => (get ? [get as unknown as Operation] : []))
    // the bytes of a file have none
    .filter(({ responses: { 200: answer } }) => !answer?.content?.['*/*'] && examplesOf(answer?.content).length === 0)
    .map(({ operationId }) => operationId);
  expect(bare).toEqual([]);
});

test('every operation of the scenario has an example, and every example an operation', () => {
  const known = new Set(operations.map(({ operationId }) => operationId));
  const examples = Object.keys(readExamples());
  expect(examples.filter((id) => !known.has(id))).toEqual([]);
  const planned = [...MAKING, ...CHANGING].map(({ operation }) => operation);
  expect([...planned, ...Object.keys(UNTAKEN)].filter((id) => !examples.includes(id))).toEqual([]);
});

test('pages and filters are shared by all lists', () => {
  const shared = JSON.stringify(document.paths);
  for (const name of ['page', 'page_size', 'severity', 'status', 'resource_uid'])
    expect(shared.split(`"#/components/parameters/${name}"`).length).toBeGreaterThan(4);
});

test('examples are what their schemas say', () => {
  const found = operations.flatMap(({ operationId, requestBody, responses }) =>
    [requestBody?.content, ...Object.values(responses).map(({ content }) => content)].flatMap((content) =>
      examplesOf(content).flatMap(({ schema, example }) =>
        breaches(document.components.schemas, schema, example).map((breach) => `${operationId} ${breach}`),
      ),
    ),
  );
  expect(found).toEqual([]);
});

test('no example is long, and none has a key, a token or a secret in it', () => {
  for (const [operation, example] of Object.entries(readExamples())) {
    const text = JSON.stringify(example);
    expect([operation, text.length < 8_000]).toEqual([operation, true]);
    expect([operation, /psk_[0-9a-f]{12}_|whsec_|eyJ[\w-]+\.|access_token|\$argon2|BEGIN [A-Z ]*PRIVATE/.exec(text)?.[0]]).toEqual([
      operation,
      undefined,
    ]);
  }
});

test('what is made printable loses what is secret, random or long, and nothing else', () => {
  const uuid = '3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b';
  expect(
    printable(
      {
        id: uuid,
        again: `see ${uuid}`,
        key: 'psk_550c749f11d6_abc',
        prefix: 'psk_550c749f11d6',
        recovery_codes: ['a', 'b'],
        secret: null,
        resource_uid: 'arn:aws:s3:::bucket',
        finding_id: '00fbf81d2ddaba864ec3c6d1a2c07c75',
        access: 'sup_34e20b29ea69928f6f2651d2',
        items: [1, 2, 3],
        title: 'x'.repeat(1_000),
        uptime_seconds: 17,
        count: 17,
      },
      ['550c749f11d6'],
    ),
  ).toEqual({
    id: '00000000-0000-4000-8000-000000000001',
    again: 'see 00000000-0000-4000-8000-000000000001',
    key: '(secret)',
    prefix: 'psk_0a1b2c3d4e5f',
    recovery_codes: ['(shown once)'],
    secret: null,
    resource_uid: 'arn:aws:s3:::bucket',
    finding_id: '00fbf81d2ddaba864ec3c6d1a2c07c75',
    access: 'sup_000000000000000000000002',
    items: [1, 2],
    title: `${'x'.repeat(239)}…`,
    uptime_seconds: 1,
    count: 17,
  });
});

test('an operation without an example stays as it is', () => {
  const paths = {
    '/a': { get: { operationId: 'a', parameters: [], responses: { 200: { content: { 'application/json': { schema: {} } } } } } },
  };
  addExamples(paths, { b: { response: 1 } });
  expect(JSON.stringify(paths)).not.toContain('example');
});
