import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { feed, type Sample } from '../contract/feeds.js';
import { findingEngines, rootFields } from '../contract/registry-facts.js';
import { ITEM_SELECTION } from '../../kit/findings/item.js';
import { fieldPrefix } from '../../kit/engine/engine.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

const UID = 'arn:aws:s3:::shop/all:of it';
const sample = (rule: string, severity: Sample['severity'] = 'high'): Sample => ({
  rule,
  title: `Title of ${rule}`,
  resource: UID,
  name: 'shop',
  severity,
  provider: 'aws',
  account: '111122223333',
  region: 'eu-west-1',
  type: 'aws_s3_bucket',
});
/** Engines whose reports can name any resource. */
const JOINED = ['check', 'vulnerability', 'secops'];
const ITEM = `${ITEM_SELECTION} provider_metadata`;

type Item = Record<string, unknown> & { finding_id: string; rule_id: string };
interface Page {
  items: Item[];
  total: number;
}

let world: World;
let tenant: TestTenant;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  client = await tenant.as('analyst');
  for (const segment of JOINED) await feed(client, segment, [sample(`${segment}_one`, 'critical'), sample(`${segment}_two`)]);
  await feed(client, 'container-security', [sample('DS002')]);
});
afterAll(() => world.close());

const rest = async <Body>(path: string): Promise<Body> => (await client.call<Body>(`/api/v1${path}`)).body;
const enginesOf = (segments: readonly string[]) => findingEngines.filter(({ viewSegment }) => segments.includes(viewSegment));
const ask = async <Data>(reader: Client, query: string, variables: Record<string, unknown> = {}): Promise<Data> => {
  const { status, data, errors } = await reader.graphql<Data>(query, variables);
  expect({ status, errors }).toEqual({ status: 200, errors: undefined });
  return data!;
};

describe('one query', () => {
  it('joins an asset, its findings in every engine and their rules, with the values of REST', async () => {
    const joined = enginesOf(JOINED).map(
      ({ engine }) =>
        `${fieldPrefix(engine)}_findings { ${ITEM} rule { rule_id title severity source } asset { resource_uid resource_name } }`,
    );
    const { asset } = await ask<{ asset: Record<string, unknown> }>(
      client,
      `query($uid: ID!) { asset(resource_uid: $uid) { resource_uid resource_type provider account_id region first_seen_at ${joined.join(' ')} } }`,
      { uid: UID },
    );
    const inventory = await rest<Record<string, unknown>>(`/inventory/asset/${encodeURIComponent(UID)}`);
    for (const field of ['resource_uid', 'resource_type', 'provider', 'account_id', 'region', 'first_seen_at'])
      expect({ field, value: asset[field] }).toEqual({ field, value: inventory[field] });
    for (const { engine, prefix } of enginesOf(JOINED)) {
      const { items } = await rest<Page>(`/${prefix}/findings?resource_uid=${encodeURIComponent(UID)}`);
      expect(items).toHaveLength(2);
      const expected = await Promise.all(
        items.map(async (item) => {
          const { rule_id, title, severity, source } = await rest<Record<string, unknown>>(`/rules/${item.rule_id}`);
          return {
            ...item,
            rule: { rule_id, title, severity, source },
            asset: { resource_uid: UID, resource_name: inventory['resource_name'] },
          };
        }),
      );
      expect(asset[`${fieldPrefix(engine)}_findings`]).toEqual(expected);
    }
  });

  it.each(findingEngines.map(({ engine, prefix }) => [engine, prefix]))(
    'lists, counts and pages %s findings as REST does',
    async (engine, prefix) => {
      const name = fieldPrefix(engine);
      const query = `query($severity: [Severity!], $page: Int) { list: ${name}_findings(severity: $severity, page: $page, page_size: 1) { items { ${ITEM} } total page page_size has_more } summary: ${name}_summary(severity: $severity) { engine total severity { critical high medium low info } status { OPEN IN_PROGRESS RESOLVED SUPPRESSED FALSE_POSITIVE } top_rules { rule_id title severity count } top_resources { resource_uid resource_type severity count } } }`;
      for (const severity of [undefined, ['high'], ['critical', 'low']]) {
        for (const page of [1, 2]) {
          const filter = severity ? `severity=${severity.join(',')}` : '';
          const graph = await ask<{ list: unknown; summary: unknown }>(client, query, { severity, page });
          expect(graph).toEqual({
            list: await rest(`/${prefix}/findings?${filter}&page=${page}&page_size=1`),
            summary: await rest(`/${prefix}/summary?${filter}`),
          });
        }
      }
    },
  );

  it('takes aliases, fragments, variables, directives and __typename', async () => {
    const query = `query Joined($rule: ID!, $with: Boolean!) {
      first: rule(rule_id: $rule) { ...Named }
      again: rule(rule_id: $rule) { ...Named @include(if: $with) __typename }
      page: check_findings(page_size: 1) { items { ... on Finding { id: finding_id skipped: title @skip(if: $with) rule { ...Named } } } }
    }
    fragment Named on Rule { rule_id name: title }`;
    const { items } = await rest<Page>('/check/findings?page_size=1');
    const named = { rule_id: 'check_one', name: 'Title of check_one' };
    expect(await ask(client, query, { rule: 'check_one', with: true })).toEqual({
      first: named,
      again: { ...named, __typename: 'Rule' },
      page: { items: [{ id: items[0]!.finding_id, rule: named }] },
    });
    expect(await ask(client, query, { rule: 'check_one', with: false })).toMatchObject({
      again: { __typename: 'Rule' },
      page: { items: [{ skipped: 'Title of check_one' }] },
    });
  });

  it('gives null for what its engine does not know, next to what it knows', async () => {
    const data = await ask(
      client,
      `{ none: asset(resource_uid: "none") { resource_uid check_findings { finding_id } } rule(rule_id: "none") { title } me { email } }`,
    );
    expect(data).toEqual({ none: null, rule: null, me: { email: client.user!.email } });
  });
});

describe('a change over the graph', () => {
  it('is the change over REST: same result, same audit entry, same guard', async () => {
    const { items } = await rest<Page>('/check/findings?rule_id=check_two');
    const id = items[0]!.finding_id;
    const mutation = `mutation($id: ID!, $input: StatusUpdateRequest!, $version: Int) { set_finding_status(engine: "check", id: $id, input: $input, expected_version: $version) { finding_id engine status previous_status note changed_by version } }`;
    const data = await ask<{ set_finding_status: unknown }>(client, mutation, {
      id,
      input: { status: 'IN_PROGRESS', note: 'over the graph' },
      version: 1,
    });
    expect(data.set_finding_status).toEqual({
      finding_id: id,
      engine: 'check',
      status: 'IN_PROGRESS',
      previous_status: 'OPEN',
      note: 'over the graph',
      changed_by: client.user!.email,
      version: 2,
    });
    const timeline = await rest<Page>(`/views/finding/check/${id}/timeline`);
    expect(timeline.items[0]).toMatchObject({ action: 'finding.status', from: 'OPEN', to: 'IN_PROGRESS', note: 'over the graph' });
    const codeOf = async (variables: Record<string, unknown>) =>
      (await client.graphql(mutation, { id, input: { status: 'RESOLVED' }, ...variables })).errors?.[0]?.extensions.code;
    expect(await codeOf({ version: 1 })).toBe('PRECONDITION_FAILED');
    expect(await codeOf({ id: '0'.repeat(32) })).toBe('NOT_FOUND');
    expect(await codeOf({ input: { status: 'IN_PROGRESS' } })).toBe('VALIDATION_ERROR');
    const refused = await client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', body: { status: 'IN_PROGRESS' } });
    expect(refused.status).toBe(422);
    expect((await rest<Page>(`/views/finding/check/${id}/timeline`)).total).toBe(timeline.total);
  });
});

describe('a viewer', () => {
  const nested =
    'query($uid: ID!) { asset(resource_uid: $uid) { resource_uid check_findings { title } vulnerability_findings { title } } }';

  it('is told 403 for a nested field of a sensitive engine, and nothing is executed', async () => {
    const viewer = await tenant.as('viewer');
    for (const query of [
      nested,
      nested.replace('vulnerability_findings', 'other: vulnerability_findings'),
      `${nested.replace('vulnerability_findings { title }', '...Hidden')} fragment Hidden on Asset { vulnerability_findings { title } }`,
      '{ check_findings { items { asset { vulnerability_findings { title } } } } }',
    ]) {
      const answer = await viewer.graphql(query, query.includes('$uid') ? { uid: UID } : {});
      expect(answer).toEqual({
        status: 403,
        errors: [{ message: 'Missing permission: vulnerability:read', extensions: { code: 'FORBIDDEN' } }],
      });
    }
  });

  it('is told 403 for a change, and nothing changes', async () => {
    const viewer = await tenant.as('viewer');
    const { items } = await rest<Page>('/check/findings?rule_id=check_one');
    const answer = await viewer.graphql('mutation($id: ID!) { check_set_status(finding_id: $id, status: RESOLVED) { status } }', {
      id: items[0]!.finding_id,
    });
    expect(answer).toMatchObject({ status: 403, errors: [{ message: 'Missing permission: scans:create' }] });
    expect(await rest<Page>('/check/findings?rule_id=check_one')).toEqual(expect.objectContaining({ items }));
  });

  it('gets the rest of the join', async () => {
    const viewer = await tenant.as('viewer');
    expect(await ask(viewer, nested.replace(' vulnerability_findings { title }', ''), { uid: UID })).toEqual({
      asset: { resource_uid: UID, check_findings: [{ title: 'Title of check_one' }, { title: 'Title of check_two' }] },
    });
  });
});

describe('introspection', () => {
  it('tells a signed-in caller the whole graph, without federation machinery', async () => {
    const schema = buildClientSchema(await ask<IntrospectionQuery>(client, getIntrospectionQuery()));
    const names = [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) => Object.keys(type.getFields()));
    expect(names.sort()).toEqual(rootFields.map(({ name }) => name).sort());
    expect(schema.getType('_Service')).toBeUndefined();
    for (const type of Object.values(schema.getTypeMap()))
      if (!type.name.startsWith('__'))
        expect({
          type: type.name,
          description: type.description ?? (['Query', 'Mutation'].includes(type.name) ? 'a root' : ''),
        }).not.toEqual({ type: type.name, description: '' });
  });

  it('tells nothing without a session', async () => {
    const { status, body } = await world.anonymous.call('/graphql', { body: { query: getIntrospectionQuery() } });
    expect({ status, body }).toMatchObject({ status: 401, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } });
  });
});

describe('a wrong request', () => {
  const wrong: Record<string, string> = {
    'with a syntax error': '{',
    'for an unknown field': '{ nothing }',
    'without a selection': '{ check_findings { items } }',
    'for too large a page': '{ check_findings(page_size: 201) { total } }',
    'for a negative page': '{ check_findings(page_size: -1) { total } }',
    'with an unknown severity': '{ check_findings(severity: nope) { total } }',
    'for the federation machinery': '{ _service { sdl } }',
    'to subscribe': 'subscription { me { email } }',
    'of a thousand aliases': `{ ${Array.from({ length: 1_000 }, (_, n) => `a${n}: me { email }`).join(' ')} }`,
  };
  it.each(Object.keys(wrong))('%s is a 400', async (name) => {
    const answer = await client.graphql(wrong[name]!);
    expect(answer).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    expect(answer.data).toBeUndefined();
  });

  it('in a batch, or of no query, is a 400', async () => {
    for (const body of [[{ query: '{ me { email } }' }], {}, { query: 7 }, { query: '{ me { email } }', variables: [] }])
      expect((await client.call('/graphql', { body })).status).toBe(400);
  });
});
