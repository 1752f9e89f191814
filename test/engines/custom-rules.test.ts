import { expectError } from '../contract/expect-error.js';
import { plan, planned } from '../support/inventories.js';
import { audited, finding, findings, results, violated, type Page, type RuleItem, type Violations } from '../support/posture.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const A = 'aws_sqs_queue.a';
const B = 'aws_sqs_queue.b';
const QUEUES = plan({ [A]: { name: 'a', tags: { Owner: 'shop' } }, [B]: { name: 'b' } });
const OWNED = {
  rule_id: 'owned',
  title: 'Queues name their owner',
  severity: 'low',
  resource_types: ['aws_sqs_queue'],
  expression: 'has(asset.tags.Owner)',
};

const callers = async ({ as }: TestTenant) => ({ analyst: await as('analyst'), admin: await as('tenant_admin') });
const fresh = async () => callers(await world.tenant());
const create = (client: Client, body: Record<string, unknown> = OWNED) =>
  client.call<RuleItem & Violations>('/api/v1/rules/custom', { body });
const patch = (client: Client, id: string, body: Record<string, unknown>) =>
  client.call<RuleItem & Violations>(`/api/v1/rules/custom/${id}`, { method: 'PATCH', body });
const retire = (client: Client, id: string) => client.call(`/api/v1/rules/custom/${id}`, { method: 'DELETE' });
const read = (client: Client, id: string) => client.call<RuleItem>(`/api/v1/rules/${id}`);
const verdicts = async (client: Client, id = 'custom.owned') =>
  Object.fromEntries((await results(client, id)).items.map(({ resource_uid, result }) => [resource_uid, result]));
/** Waits for what a job does after the answer. */
async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (const end = Date.now() + 300_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const value = await look();
    if (holds(value) || Date.now() > end) return value;
  }
}

describe('a rule of the tenant’s own', () => {
  it('is evaluated from the next run on and raises findings with its title and severity', async () => {
    const { analyst, admin } = await fresh();
    const made = await create(admin);
    expect(made.status).toBe(201);
    const shown = {
      rule_id: 'custom.owned',
      title: OWNED.title,
      severity: 'low',
      source: 'custom',
      engine: 'check',
      version: 1,
      enabled: true,
    };
    expect(made.body).toMatchObject({ ...shown, provider: 'aws', expression: OWNED.expression, family: null });
    expect((await read(analyst, 'custom.owned')).body).toEqual(made.body);
    await analyst.import(QUEUES);
    expect(await verdicts(analyst)).toEqual({ [planned(A)]: 'PASS', [planned(B)]: 'FAIL' });
    const raised = await finding(analyst, 'rule_id=custom.owned');
    expect(raised).toMatchObject({ title: OWNED.title, severity: 'low', status: 'OPEN', engine: 'check', resource_uid: planned(B) });
    const { body } = await analyst.call<{ finding: { findingData: Record<string, unknown> } }>(
      `/api/v1/views/finding/${raised.engine}/${raised.finding_id}`,
    );
    expect(body.finding.findingData).toMatchObject({ expression: OWNED.expression, address: B });
    await analyst.import(plan({ [B]: { name: 'b', tags: { Owner: 'shop' } } }));
    expect((await finding(analyst, 'rule_id=custom.owned')).status).toBe('RESOLVED');
  });

  it('heads the list of rules, and is found by its filters', async () => {
    const { admin } = await fresh();
    await create(admin);
    const list = async (query: string) => (await admin.call<Page<RuleItem>>(`/api/v1/rules?${query}`)).body;
    const whole = await list('page_size=2');
    expect(whole.items[0]).toMatchObject({ rule_id: 'custom.owned' });
    expect(whole.total).toBe((await list('source=palisade')).total + 1);
    for (const query of ['source=custom', 'q=QUEUES name', 'q=custom.own', 'resource_type=aws_sqs_queue&severity=low&source=custom'])
      expect(await list(query)).toMatchObject({ total: 1, items: [{ rule_id: 'custom.owned' }] });
    expect(await list('source=custom&provider=gcp')).toMatchObject({ total: 0 });
  });

  it('becomes version 2 by a change, which the next run goes by', async () => {
    const { analyst, admin } = await fresh();
    await create(admin);
    await analyst.import(QUEUES);
    const before = await finding(analyst, 'rule_id=custom.owned');
    const changed = await patch(admin, 'custom.owned', { severity: 'critical', expression: 'has(asset.tags.Team)' });
    const facts = { version: 2, severity: 'critical', expression: 'has(asset.tags.Team)', title: OWNED.title };
    expect(changed).toMatchObject({ status: 200, body: facts });
    expect((await read(analyst, 'custom.owned')).body).toMatchObject(facts);
    await analyst.import(QUEUES);
    expect(await verdicts(analyst)).toEqual({ [planned(A)]: 'FAIL', [planned(B)]: 'FAIL' });
    const after = await findings(analyst, 'rule_id=custom.owned');
    expect(after.map(({ severity }) => severity)).toEqual(['critical', 'critical']);
    expect(after.map(({ finding_id }) => finding_id)).toContain(before.finding_id);
    expect(violated(await patch(admin, 'custom.owned', { expression: 'r.name ==' }))[0]).toMatchObject({ path: 'expression' });
    expect((await read(analyst, 'custom.owned')).body).toMatchObject(facts);
  });

  it('closes its findings when it is retired, says why, and is evaluated no more', async () => {
    const { analyst, admin } = await fresh();
    await create(admin);
    await analyst.import(QUEUES);
    const { finding_id, engine } = await finding(analyst, 'rule_id=custom.owned');
    const others = (await findings(analyst, 'status=OPEN')).length - 1;
    expect(await retire(admin, 'custom.owned')).toMatchObject({ status: 204, text: '' });
    const closed = await until(
      () => finding(analyst, 'rule_id=custom.owned'),
      ({ status }) => status !== 'OPEN',
    );
    expect(closed.status).toBe('RESOLVED');
    expect(await findings(analyst, 'status=OPEN')).toHaveLength(others);
    expect(await audited(admin, 'finding.resolve')).toMatchObject([
      {
        target: `finding:${engine}/${finding_id}`,
        actor_email: 'system',
        detail: { from: 'OPEN', to: 'RESOLVED', reason: 'rule_retired' },
      },
    ]);
    const run = await analyst.import(QUEUES);
    expect(run.counts).toMatchObject({ new: 0, regressed: 0, resolved: 0 });
    expect((await finding(analyst, 'rule_id=custom.owned')).status).toBe('RESOLVED');
    expect(await verdicts(analyst)).toEqual({});
    expect((await admin.call<Page<RuleItem>>('/api/v1/rules?source=custom')).body.total).toBe(0);
    expectError(await retire(admin, 'custom.owned'), 'NOT_FOUND', 'rules');
    expectError(await patch(admin, 'custom.owned', { title: 'again' }), 'NOT_FOUND', 'rules');
    expectError(await create(admin), 'CONFLICT', 'rules');
  });

  it('that is too costly for one resource is not evaluated there, and holds nothing up', async () => {
    const { analyst, admin } = await fresh();
    const expression = 'r.list.all(a, r.list.all(b, r.list.all(c, a + b + c < 1000)))';
    expect(await create(admin, { ...OWNED, expression })).toMatchObject({ status: 201 });
    const list = Array.from({ length: 100 }, (_, n) => n);
    await analyst.import(plan({ [A]: { list }, [B]: { list: [1] } }));
    expect(await verdicts(analyst)).toEqual({ [planned(A)]: 'NOT_EVALUATED', [planned(B)]: 'PASS' });
    const { items } = await results(analyst, 'custom.owned', 'result=NOT_EVALUATED');
    expect(items[0]!.reason).toMatch(/too many steps/);
  });

  it('leaves a trace of every change in the audit log', async () => {
    const { admin } = await fresh();
    await create(admin);
    await patch(admin, 'custom.owned', { title: 'Another title' });
    await retire(admin, 'custom.owned');
    for (const [action, version] of Object.entries({ 'rule.create': 1, 'rule.update': 2, 'rule.retire': 2 }))
      expect(await audited(admin, action)).toMatchObject([
        { actor_email: admin.user!.email, target: 'rule:custom.owned', result: 'success', detail: { version } },
      ]);
  });
});

describe('a definition', () => {
  it.each([
    ['syntax', 'r.name == ', 1],
    ['an unknown name', 'has(r.name) &&\n  resource.name == "a"', 2],
    ['an unknown function', 'has(r.name) && loud(r.name)', 1],
    ['no boolean', 'size(r.name)', 1],
    ['wrong types', '"a" > 1', 1],
    ['an unknown field of the asset', 'asset.colour == "red"', 1],
    ['length', `has(r.name) || "${'a'.repeat(2_000)}" == ""`, 1],
    ['cost', Array.from({ length: 130 }, (_, n) => `r.a${n % 10} == ${n}`).join('||'), 1],
    ['nesting', 'r.a.all(a, a.all(b, b.all(c, c.all(d, d))))', 1],
  ])('whose expression is refused for %s names line and column', async (_case, expression, line) => {
    const { admin } = await fresh();
    for (const answer of [
      await create(admin, { ...OWNED, expression }),
      await admin.call<Violations>('/api/v1/rules/custom/validate', { body: { ...OWNED, expression } }),
    ]) {
      const [violation] = violated(answer);
      expect(violation).toEqual({
        path: 'expression',
        message: expect.stringMatching(/\S/) as string,
        line,
        column: expect.any(Number) as number,
      });
      expect(violation!.column).toBeGreaterThan(0);
    }
    expectError(await read(admin, 'custom.owned'), 'NOT_FOUND', 'rules');
  });

  it.each([
    ['no title', { title: undefined }, ['title']],
    ['an engine that has no rules', { engine: 'vulnerability' }, ['engine']],
    ['no resource types', { resource_types: [] }, ['resource_types']],
    ['a resource type of no provider', { resource_types: ['aws_sqs_queue', 'random_id'] }, ['resource_types.1']],
    ['resource types of two providers', { resource_types: ['aws_sqs_queue', 'google_pubsub_topic'] }, ['resource_types']],
    ['an id of other characters', { rule_id: 'Owned Queues' }, ['rule_id']],
    ['a link that is none', { references: [{ url: 'javascript:alert(1)' }] }, ['references.0.url']],
    ['several mistakes at once', { title: ' ', tags: [''], expression: 'x' }, ['title', 'tags.0', 'expression']],
  ])('is refused with %s', async (_case, change, paths) => {
    const { admin } = await fresh();
    expect(violated(await create(admin, { ...OWNED, ...change })).map(({ path }) => path)).toEqual(paths);
    expect((await admin.call<Page<RuleItem>>('/api/v1/rules?source=custom')).body.total).toBe(0);
  });

  it('needs an id that is free, and gets one made of its title when it names none', async () => {
    const { admin } = await fresh();
    await create(admin);
    expectError(await create(admin), 'CONFLICT', 'rules');
    expectError(await create(admin, { ...OWNED, rule_id: 'custom.owned' }), 'CONFLICT', 'rules');
    const { rule_id: _none, ...nameless } = OWNED;
    const ids = [(await create(admin, nameless)).body.rule_id, (await create(admin, nameless)).body.rule_id];
    for (const id of ids) expect(id).toMatch(/^custom\.queues-name-their-owner-[0-9a-f]{8}$/);
    expect(new Set(ids).size).toBe(2);
  });
});
