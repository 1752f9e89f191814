import { bucket, ocsf } from '../support/reports.js';
import { withinTimes } from '../support/within.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  client = await (await world.tenant()).as('analyst');
  const titles = ['plain', '(a+)+$', '.*', `${'a'.repeat(40)}!`];
  await client.import(ocsf(titles.map((title, n) => ({ rule: `rule_${n}`, resource: bucket(`b${n}`), title }))));
});
afterAll(() => world.close());

/** How many plain calls it may take the time of; one that runs for ever takes all there are. */
const TIMES = 30;
const plain = () => client.call('/api/v1/users/me');

describe('N5: a pattern that is made to run for ever', () => {
  const search = (q: string) =>
    client.call<{ total: number; items: { title: string }[] }>(`/api/v1/check/findings?q=${encodeURIComponent(q)}`);

  it.each([
    ['(a+)+$', ['(a+)+$']],
    ['.*', ['.*']],
    ['plain', ['plain']],
    ['a'.repeat(40), [`${'a'.repeat(40)}!`]],
  ])('%s is searched for as it is written', async (q, found) => {
    const answer = await withinTimes(TIMES, plain, () => search(q));
    expect(answer.body.items.map(({ title }) => title)).toEqual(found);
  });

  it('of 10 KB finds nothing, at once', async () => {
    const answer = await withinTimes(TIMES, plain, () => search('(a+)+$'.repeat(1_700)));
    expect([200, 400]).toContain(answer.status);
  });

  const trial = async (expression: string) => {
    const admin = await (await world.tenant()).as('tenant_admin');
    return withinTimes(TIMES, plain, () =>
      admin.call('/api/v1/rules/custom/validate', { body: { resource_types: ['aws_s3_bucket'], expression } }),
    );
  };

  it('in a rule of the tenant runs on RE2, in linear time', async () => {
    const honest = await trial('r.bucket.matches("^[a-z]+$")');
    expect(honest.status).toBe(200);
    const answer = await trial(`r.bucket.matches("(a+)+$") || "${'a'.repeat(500)}!".matches("^(a+)+$")`);
    expect(answer.body).toMatchObject({ valid: true });
  });

  it.each(['(?=a)b', '(a)\\\\1'])('%s, which RE2 does not know, is refused with its place', async (pattern) => {
    const answer = await trial(`r.bucket.matches("${pattern}")`);
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toMatchObject([{ message: expect.stringContaining('RE2 syntax'), line: 1 }]);
  });

  it('of 10 KB in a rule is answered at once', async () => {
    const answer = await trial(`r.bucket.matches("${'(a+)+'.repeat(2_048)}")`);
    expect([200, 422]).toContain(answer.status);
  });
});
