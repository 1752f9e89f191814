import { readdirSync, readFileSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { apiSchemaOf } from '../../gateway/graph/api-schema.js';

const schema = apiSchemaOf(parse(readFileSync('schema/supergraph.graphql', 'utf8'), { noLocation: true }));
const documents = readdirSync('console/app', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.graphql'))
  .map((path) => `console/app/${path}`);

test.each(documents)('%s is one named query of the graph', (path) => {
  const document = parse(readFileSync(path, 'utf8'));
  expect(validate(schema, document)).toEqual([]);
  expect(document.definitions).toMatchObject([{ kind: 'OperationDefinition', operation: 'query', name: { value: expect.any(String) } }]);
});

test('a document that the graph does not know is found', () => {
  expect(documents.length).toBeGreaterThan(0);
  expect(validate(schema, parse('query Wrong { findings { nothing } }'))).not.toEqual([]);
});
