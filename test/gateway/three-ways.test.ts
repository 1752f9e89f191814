import type { ExecutionResult } from 'graphql';
import { createGraph } from '../../gateway/graph/graph.js';
import type { PlannedOperation, Way } from '../../gateway/graph/planned-operation.js';
import type { Graph } from '../../gateway/graph/types.js';
import { createLocalCaller } from '../../gateway/transports/local.js';
import { authOf, fakeServices, recordingLogger, supportEngines } from './support-engines.js';

type Case = [name: string, query: string, variables?: Record<string, unknown>, ways?: Way[]];
const ALL: Way[] = ['single', 'joined', 'apollo'];
const JOINS: Way[] = ['joined', 'apollo'];

const CASES: Case[] = [
  ['a page of rows', '{ assets { items { resource_uid name severity seen_at tags extra } paging { total page } } }'],
  [
    'aliases',
    '{ first: asset(uid: "asset/0") { id: resource_uid n: name again: name } second: asset(uid: "asset/1") { id: resource_uid } }',
  ],
  ['fields out of the order of the schema', '{ assets(page_size: 1) { paging { page total } items { tags seen_at severity name } } }'],
  ['a named fragment', 'query { assets { items { ...A } } } fragment A on Asset { name ...B } fragment B on Asset { severity tags }'],
  [
    'inline fragments',
    '{ assets { ... on AssetPage { items { ... { name } ... on Asset { severity } } } ... @include(if: true) { paging { total } } } }',
  ],
  ['fields selected twice', '{ assets { items { name } items { severity } paging { total } paging { page } } }'],
  ['a variable', 'query Q($n: Int!) { assets(page_size: $n) { items { name } } }', { n: 3 }],
  ['a variable with a default', 'query Q($n: Int = 2) { assets(page_size: $n) { items { name } } }'],
  ['a variable left out for an argument with a default', 'query Q($n: Int) { assets(page_size: $n) { items { resource_uid } } }'],
  ['an enum variable', 'query Q($s: Severity!) { assets(severity: $s, page_size: 3) { items { severity } } }', { s: 'high' }],
  ['an enum literal', '{ assets(severity: low, page_size: 3) { items { severity } } }'],
  ['a DateTime variable', 'query Q($t: DateTime) { assets(since: $t, page_size: 2) { items { seen_at } } }', { t: '2030-01-01T00:00:08Z' }],
  ['a DateTime literal', '{ assets(since: "2030-01-01T00:00:08.000Z", page_size: 2) { items { seen_at } } }'],
  ['a DateTime default', 'query Q($t: DateTime = "2030-01-01T00:00:09Z") { assets(since: $t) { items { seen_at } } }'],
  [
    'an input object',
    'query Q($i: EchoInput) { echo(input: $i, list: [1, 2]) }',
    { i: { text: 'x', inner: { text: 'y', severity: 'info' } } },
  ],
  ['a null argument and a default', '{ a: echo(value: null) b: echo c: echo(list: 3) }'],
  ['__typename everywhere', '{ __typename assets(page_size: 1) { __typename kind: __typename items { __typename t: __typename name } } }'],
  ['nothing but __typename', '{ __typename }', {}, JOINS],
  ['a null object', '{ asset(uid: "none") { name } }'],
  ['null rows in a list', '{ assets { loose { name } } }'],
  ['a null that takes its row and the page with it', '{ assets { items { resource_uid strict } } }'],
  ['a null that stops at a nullable object', '{ asset(uid: "asset/3") { strict } other: asset(uid: "asset/1") { strict } }'],
  ['an unmeant error', '{ assets { items { resource_uid broken } } }'],
  ['a coded error', '{ assets { items { coded } } }'],
  ['an error at the root', '{ crash a: echo }'],
  ['a union', '{ things { __typename ... on Asset { name } ... on Owner { id } } }'],
  ['a union without __typename', '{ things { ... on Asset { name severity } } }'],
  [
    'a variable that switches a field',
    'query Q($on: Boolean!) { assets(page_size: 2) { items { name @include(if: $on) severity @skip(if: $on) } } }',
    { on: true },
  ],
  [
    'a switch with a default',
    'query Q($on: Boolean = false) { assets(page_size: 2) { items { name @include(if: $on) severity @skip(if: $on) } } }',
  ],
  ['a mutation', 'mutation { a: bump(n: 1) b: bump(n: 2) }'],
  ['a join over entities', '{ assets(page_size: 3) { items { name keys { id bits } key_count } } }', {}, JOINS],
  [
    'a join with aliases and arguments',
    'query Q($l: Int) { assets(page_size: 2) { items { many: keys(limit: $l) { i: id } one: keys(limit: 1) { id } } } }',
    { l: 3 },
    JOINS,
  ],
  [
    'a join there and back',
    '{ keys { items { id asset { name keys(limit: 1) { asset { severity seen_at } } } } paging { total } } }',
    {},
    JOINS,
  ],
  ['the same entity in many rows', '{ assets(page_size: 12) { items { resource_uid owner { email manager { email } } } } }', {}, JOINS],
  ['an entity that its engine does not know', '{ asset(uid: "asset/4") { name key_count keys { id } } }', {}, JOINS],
  ['a required field of an unknown entity', '{ asset(uid: "asset/4") { name frail_strict } }', {}, JOINS],
  ['an error in one engine', '{ assets(page_size: 3) { items { name frail } } }', {}, JOINS],
  ['a required null in another engine', '{ assets(page_size: 3) { loose { name frail_strict } } }', {}, JOINS],
  ['several errors in several engines', '{ assets(page_size: 6) { items { broken coded owner { email } frail } } crash }', {}, JOINS],
  ['several engines at the root', '{ ping echo keys { items { id } } assets(page_size: 1) { items { name } } }', {}, JOINS],
  [
    'a join below a list of lists of entities',
    '{ assets(page_size: 2) { items { owner { assets { name owner { assets { severity } } } } } } }',
    {},
    JOINS,
  ],
  ['a join behind a union', '{ things { ... on Asset { key_count } ... on Owner { email assets { tags } } } }', {}, JOINS],
  ['a join with a switch', 'query Q($on: Boolean!) { assets(page_size: 2) { items { name key_count @include(if: $on) } } }', { on: false }],
  [
    'a join with __typename',
    '{ view(engine: "encryption", id: "asset/2") { __typename id asset { __typename name keys { __typename id } } } }',
    {},
    JOINS,
  ],
  [
    'a join over a row that is not there',
    '{ view(engine: "encryption", id: "none") { asset { resource_uid name key_count } } }',
    {},
    JOINS,
  ],
  ['an engine that is away', '{ slow(ms: 5000) assets(page_size: 1) { items { name } } }', {}, JOINS],
  ['an engine that is away, alone', '{ a: slow(ms: 5000) b: slow(ms: 5000) }'],
  ['a required field of an engine that is away', '{ slow_strict(ms: 5000) }'],
  ['a bad variable', 'query Q($n: Int!) { assets(page_size: $n) { items { name } } }', { n: 'x' }],
];

const sorted = ({ data, errors }: ExecutionResult) => ({
  data: JSON.stringify(data),
  errors: (errors ?? []).map((error) => JSON.stringify({ ...error.toJSON(), locations: undefined })).sort(),
});

describe('the three ways to run an operation', () => {
  let graph: Graph;
  beforeAll(async () => {
    const { logger } = recordingLogger();
    const caller = createLocalCaller({ engines: supportEngines, services: fakeServices, logger, timeoutMs: 60 });
    graph = await createGraph({ engines: supportEngines, caller, logger, localSchemas: caller.schemas });
  });

  test.each(CASES)('%s', async (_name, query, variables = {}, ways = ALL) => {
    const operation = graph.prepare(query) as PlannedOperation;
    const call = { auth: authOf('analyst'), variables };
    const [expected, ...others] = ways.includes('single') && operation.facts.engine === null ? JOINS : ways;
    const answer = async (way: Way) => sorted(await graph.execute(operation.by(way), call));
    const first = await answer(expected!);
    expect(first).toMatchSnapshot();
    for (const way of others) {
      // Four runs: engines interpret the first and compile what keeps coming.
      for (let run = 0; run < 4; run += 1) expect({ way, ...(await answer(way)) }).toEqual({ way, ...first });
    }
    for (let run = 0; run < 4; run += 1) expect(await answer(expected!)).toEqual(first);
  });
});
