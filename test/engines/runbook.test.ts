import { bucket, ocsf } from '../support/reports.js';
import { openWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it('a finding names the runbook of the template that the tenant has set, and none before', async () => {
  const tenant = await world.tenant();
  const [admin, viewer] = [await tenant.as('tenant_admin'), await tenant.as('viewer')];
  await admin.import(ocsf([{ rule: 'a', resource: bucket('a') }]));
  const { body } = await viewer.call<{ items: { finding_id: string; rule_id: string }[] }>('/api/v1/check/findings');
  const { finding_id, rule_id } = body.items[0]!;
  const runbook = async () =>
    (await viewer.call<{ remediation: { runbook_url: string | null } }>(`/api/v1/views/finding/check/${finding_id}`)).body.remediation
      .runbook_url;
  const set = (runbook_url_template: string | null) =>
    admin.call(`/api/v1/tenants/${tenant.tenant._id}`, { method: 'PATCH', body: { settings: { runbook_url_template } } });
  expect(await runbook()).toBeNull();
  expect((await set('https://{rule_id}.example/')).status).toBe(422);
  expect((await set('https://runbooks.example/{engine}/{rule_id}')).status).toBe(200);
  expect(await runbook()).toBe(`https://runbooks.example/check/${encodeURIComponent(rule_id)}`);
  expect((await set(null)).status).toBe(200);
  expect(await runbook()).toBeNull();
});
