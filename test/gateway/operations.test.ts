import { assertOperations } from '../../gateway/transports/local.js';
import { definedOperations, type EngineOperation } from '../../kit/engine/operation.js';
import { findingOperations } from '../../kit/read/findings.js';
import { engines } from '../../subgraphs/index.js';

const operations = [...definedOperations(), ...engines.flatMap(({ name, findings }) => (findings ? findingOperations(name) : []))];

test('the schema of every engine holds, and engines ask of one another only what is there', () => {
  expect(operations.length).toBeGreaterThan(engines.length);
  expect(() => assertOperations(engines, operations)).not.toThrow();
});

test('an operation that asks for more is named with its engine', () => {
  const wrong: EngineOperation<never, unknown> = { ...operations[0]!, engine: 'di', query: '{ nothing_of_the_kind }' };
  expect(() => assertOperations(engines, [wrong])).toThrow(
    'an operation asks what engine di does not have: Cannot query field "nothing_of_the_kind"',
  );
});
