import { expectError } from '../contract/expect-error.js';
import { plan, planned } from '../support/inventories.js';
import { results, ruleOf, type Page, type RuleResultItem } from '../support/posture.js';
import { ocsf } from '../support/reports.js';
import { openWorld, type Client, type World } from '../support/world.js';

/** Of a database that replicates another, its encryption is not asked. */
const REPLICA = { replicate_source_db: 'orders' };
const ACCOUNT = '111122223333';
const OTHER = '999999999999';

let world: World;
let client: Client;
let rule: string;
beforeAll(async () => {
  world = await openWorld();
  client = await (await world.tenant()).as('analyst');
  rule = (await ruleOf(client, 'encryption_at_rest', 'aws_db_instance')).rule_id;
  const mine = {
    'aws_db_instance.a': { identifier: 'a', storage_encrypted: true },
    'aws_db_instance.b': { identifier: 'b', storage_encrypted: false },
    'aws_db_instance.c': { identifier: 'c', ...REPLICA },
    'aws_db_instance.d': { identifier: 'd', storage_encrypted: '${var.encrypted}' },
    'aws_sqs_queue.e': { name: 'e' },
  };
  await client.import(plan(mine), { account_id: ACCOUNT, region: 'eu-west-1', scan_run_id: 'mine' });
  await client.import(plan({ 'aws_db_instance.f': {} }), { account_id: OTHER });
});
afterAll(() => world.close());

const uid = (name: string, account = ACCOUNT) => planned(`aws_db_instance.${name}`, account);
const uids = async (query: string) => (await results(client, rule, query)).items.map(({ resource_uid }) => resource_uid);

describe('the results of a rule', () => {
  it('are one a resource that it was asked about, by resource_uid, with the reason where it could not tell', async () => {
    const { items, total, has_more } = await results(client, rule);
    expect({ total, has_more }).toEqual({ total: 5, has_more: false });
    expect(items.map(({ resource_uid, result }) => [resource_uid, result])).toEqual([
      [uid('a'), 'PASS'],
      [uid('b'), 'FAIL'],
      [uid('c'), 'NOT_APPLICABLE'],
      [uid('d'), 'NOT_EVALUATED'],
      [uid('f', OTHER), 'FAIL'],
    ]);
    expect(items.map(({ reason }) => reason)).toEqual([null, null, null, expect.stringContaining('var.encrypted') as string, null]);
    expect(items[1]).toMatchObject({
      rule_id: rule,
      resource_type: 'aws_db_instance',
      resource_name: 'b',
      provider: 'aws',
      account_id: ACCOUNT,
      region: 'eu-west-1',
      scan_run_id: 'mine',
      evaluated_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
  });

  it.each([
    ['result=FAIL', () => [uid('b'), uid('f', OTHER)]],
    ['result=PASS,NOT_APPLICABLE', () => [uid('a'), uid('c')]],
    ['result=NOT_EVALUATED', () => [uid('d')]],
    [`account_id=${OTHER}`, () => [uid('f', OTHER)]],
    [`account_id=${ACCOUNT}&result=FAIL`, () => [uid('b')]],
    ['provider=gcp', () => []],
    ['provider=aws&result=PASS', () => [uid('a')]],
    ['resource_type=aws_sqs_queue', () => []],
    ['resource_type=aws_db_instance,aws_sqs_queue&result=PASS', () => [uid('a')]],
  ])('are filtered by %s', async (query, wanted) => {
    expect(await uids(query)).toEqual(wanted());
    expect((await results(client, rule, query)).total).toBe(wanted().length);
  });

  it('come page by page', async () => {
    const page = async (query: string) => (await client.call<Page<RuleResultItem>>(`/api/v1/check/rules/${rule}/results?${query}`)).body;
    expect(await page('page_size=2')).toMatchObject({ total: 5, page: 1, page_size: 2, has_more: true });
    const pages = await Promise.all([1, 2, 3, 4].map((number) => page(`page_size=2&page=${number}`)));
    expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1, 0]);
    expect(pages.map(({ has_more }) => has_more)).toEqual([true, true, false, false]);
    expect(pages.flatMap(({ items }) => items.map(({ resource_uid }) => resource_uid))).toEqual(await uids(''));
  });

  it('are of the latest run that judged each resource', async () => {
    const own = await (await world.tenant()).as('analyst');
    await own.import(plan({ 'aws_db_instance.a': {}, 'aws_db_instance.b': {} }), { scan_run_id: 'first' });
    await own.import(plan({ 'aws_db_instance.a': { storage_encrypted: true } }), { scan_run_id: 'second' });
    expect((await results(own, rule)).items).toMatchObject([
      { resource_uid: planned('aws_db_instance.a'), result: 'PASS', scan_run_id: 'second' },
      { resource_uid: planned('aws_db_instance.b'), result: 'FAIL', scan_run_id: 'first' },
    ]);
  });

  it('are none for a rule that was asked about nothing', async () => {
    const { rule_id } = await ruleOf(client, 'encryption_at_rest', 'aws_ebs_volume');
    expect(await results(client, rule_id)).toMatchObject({ items: [], total: 0, has_more: false });
    await client.import(ocsf([{ rule: 'scanner_rule', resource: 'arn:aws:s3:::a' }]));
    expect(await results(client, 'scanner_rule')).toMatchObject({ items: [], total: 0 });
  });

  it('are not found for a rule that there is none of, and stay in their tenant', async () => {
    expectError(await client.call('/api/v1/check/rules/aws.none.such/results'), 'NOT_FOUND', 'check');
    const stranger = await (await world.tenant()).as('analyst');
    expect(await results(stranger, rule)).toMatchObject({ items: [], total: 0 });
  });

  it.each(['result=MAYBE', 'provider=ovh', 'page=0', 'page_size=201', 'sort=result'])('refuse %s', async (query) => {
    expectError(await client.call(`/api/v1/check/rules/${rule}/results?${query}`), 'BAD_REQUEST', 'check');
  });

  it('are read by a viewer, and in the graph', async () => {
    const { as } = await world.tenant();
    await (await as('analyst')).import(plan({ 'aws_db_instance.a': {} }));
    const { data } = await (
      await as('viewer')
    ).graphql<{ check_rule_results: Page<RuleResultItem> }>(
      `query($id: ID!) { check_rule_results(rule_id: $id, result: [FAIL]) { total items { resource_uid result reason } } }`,
      { id: rule },
    );
    expect(data!.check_rule_results).toEqual({
      total: 1,
      items: [{ resource_uid: planned('aws_db_instance.a'), result: 'FAIL', reason: null }],
    });
  });
});
