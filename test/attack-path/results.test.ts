import { eventually } from '../support/receiver.js';
import { findings, move } from '../support/posture.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const SUBSCRIPTION = '7b1e0c4a-2d3f-4a5b-8c6d-9e0f1a2b3c4d';
const STORAGE = `/subscriptions/${SUBSCRIPTION}/resourceGroups/eu/providers/Microsoft.Storage/storageAccounts/patients`;
const CONTAINER = `${STORAGE}/blobServices/default/containers/scans`;
const RULE = 'azure.storage.container.container_access';
/** It has rules of Kubernetes alone, so that nothing of Azure is reported. */
const NARROW = 'cis_k8s_1_12_0';

const resource = (type: string, name: string, attributes: object) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/azurerm"]' },
  instances: [{ attributes }],
});
/** A storage account with data of patients, which makes it a crown jewel, and a container of it that anybody may read, or nobody. */
const estate = (access: 'blob' | 'private') => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'estate' },
  resources: [
    resource('azurerm_storage_account', 'patients', {
      ...{ id: STORAGE, name: 'patients', tags: { 'data-classification': 'phi' }, public_network_access_enabled: false },
    }),
    resource('azurerm_storage_container', 'scans', {
      ...{ id: CONTAINER, name: 'scans', container_access_type: access },
      ...{ storage_account_id: STORAGE, storage_account_name: 'patients' },
    }),
  ],
});
const see = async (client: Client, access: 'blob' | 'private' = 'blob') =>
  expect(await client.import(estate(access), { account_id: SUBSCRIPTION })).toMatchObject({ state: 'COMPLETED' });

interface Detail {
  path: { restrictedEngines: string[]; likelihood: number | null };
  steps: {
    masked: boolean;
    conditions: { engine: string; finding_id: string | null; rule_id: string | null; resource_uid: string | null }[];
  }[];
  cheapest_fix: { finding_id: string | null; rule_id: string | null } | null;
}
const ids = async (client: Client) =>
  (await client.call<{ items: { path_id: string; target: string }[] }>('/api/v1/attack-paths')).body.items
    .filter(({ target }) => target === STORAGE)
    .map(({ path_id }) => path_id);
/** What the only path rests on. */
async function detail(client: Client): Promise<Detail> {
  const [id, ...others] = await ids(client);
  expect(others).toEqual([]);
  return (await client.call<Detail>(`/api/v1/attack-paths/${id}`)).body;
}
const reported = async (client: Client) => (await findings(client, `rule_id=${RULE}`)).map(({ status }) => status);
/** Paths are looked for anew when people decide on a jewel. */
async function decide(admin: Client, reason: string): Promise<void> {
  const body = { decision: 'accepted', tier: 'critical', value: 1_000_000, reason };
  expect((await admin.call(`/api/v1/risk/crown-jewels/${encodeURIComponent(STORAGE)}`, { method: 'PUT', body })).status).toBe(200);
}
async function choose(admin: Client, profile: string): Promise<void> {
  const path = '/api/v1/settings/posture';
  expect((await admin.call(path, { method: 'PUT', body: { profile } })).status).toBe(200);
  const { reevaluation_job } = (await admin.call<{ reevaluation_job: string }>(path)).body;
  await eventually(
    () => admin.call(`/api/v1/jobs/${reevaluation_job}`),
    ({ body }) => body['state'] === 'COMPLETED',
  );
}

it('a rule that the profile leaves out makes a step all the same, which names the rule and the resource; what-if takes it for mended', async () => {
  const tenant = await world.tenant();
  const [admin, analyst] = [await tenant.as('tenant_admin'), await tenant.as('analyst')];
  await choose(admin, NARROW);
  await see(analyst);
  expect(await reported(analyst)).toEqual([]);
  const told = await detail(analyst);
  expect(told.steps.map(({ conditions }) => conditions)).toEqual([
    [
      {
        text: `Anybody may read it (${RULE})`,
        ...{ engine: 'network-security', finding_id: null, rule_id: RULE, resource_uid: CONTAINER },
      },
    ],
  ]);
  expect(told.cheapest_fix).toMatchObject({ finding_id: null, rule_id: RULE });
  const points = await analyst.call<{ items: object[] }>('/api/v1/attack-paths/choke-points');
  expect(points.body.items).toMatchObject([{ rule_id: RULE, finding_id: null, engine: 'network-security', paths_broken: 1 }]);

  await decide(admin, 'What it costs');
  const summary = () =>
    analyst.call<{ drivers: { rule_id: string | null; resource_uid: string | null }[]; without_figures: number }>('/api/v1/risk/summary');
  const { body } = await eventually(summary, (answer) => answer.body.without_figures === 0 && answer.body.drivers.length > 0);
  expect(body.drivers).toMatchObject([{ finding_id: null, rule_id: RULE, resource_uid: CONTAINER }]);
  const whatIf = (results: object[]) => analyst.call('/api/v1/risk/what-if', { body: { results } });
  expect((await whatIf([{ rule_id: RULE, resource_uid: CONTAINER }])).body).toMatchObject({
    paths_before: 1,
    paths_gone: 1,
    after: { mean: 0 },
  });
  expect((await whatIf([{ rule_id: RULE, resource_uid: STORAGE }])).body).toMatchObject({ paths_gone: 0, reduction: 0 });
  expect((await whatIf([])).status).toBe(422);
  expect((await whatIf(Array.from({ length: 101 }, () => ({ rule_id: RULE, resource_uid: CONTAINER })))).status).toBe(422);

  await see(analyst, 'private');
  expect(await ids(analyst)).toEqual([]);
  const other = await (await world.tenant()).as('analyst');
  await see(other, 'private');
  await see(analyst);
  expect([(await ids(analyst)).length, await ids(other)]).toEqual([1, []]);
});

it('what is taken for false or closed by hand breaks the step, what is accepted does not, whatever the profile reports', async () => {
  const tenant = await world.tenant();
  const [admin, analyst] = [await tenant.as('tenant_admin'), await tenant.as('analyst')];
  await see(analyst);
  expect(await reported(analyst)).toEqual(['OPEN']);
  const [open] = await findings(analyst, `rule_id=${RULE}`);
  expect((await detail(analyst)).steps[0]!.conditions).toMatchObject([{ finding_id: open!.finding_id, rule_id: RULE }]);
  const set = async (status: string) => {
    const [now] = await findings(analyst, `rule_id=${RULE}`);
    await move(analyst, now!, status);
  };
  let no = 0;
  const stands = async (paths: number) => {
    await decide(admin, `Look again ${++no}`);
    await eventually(
      () => ids(analyst),
      (all) => all.length === paths,
    );
  };

  await set('SUPPRESSED');
  await choose(admin, NARROW);
  await see(analyst);
  expect(await ids(analyst)).toHaveLength(1);
  await set('OPEN');
  await choose(admin, 'all');
  await set('FALSE_POSITIVE');
  await stands(0);
  await choose(admin, NARROW);
  await see(analyst);
  expect([await reported(analyst), await ids(analyst)]).toEqual([['FALSE_POSITIVE'], []]);

  await choose(admin, 'all');
  await set('OPEN');
  await see(analyst);
  expect(await ids(analyst)).toHaveLength(1);
  await set('RESOLVED');
  await stands(0);
  // the profile leaves it out now, and the resource fails as before when it is looked at again
  await choose(admin, NARROW);
  await stands(0);
  await see(analyst);
  expect([await reported(analyst), (await ids(analyst)).length]).toEqual([['RESOLVED'], 1]);

  await choose(admin, 'all');
  await see(analyst);
  expect(await reported(analyst)).toEqual(['OPEN']);
  await choose(admin, NARROW);
  await stands(1);
  expect([await reported(analyst), (await detail(analyst)).steps[0]!.conditions[0]!.finding_id]).toEqual([['RESOLVED'], null]);
});
