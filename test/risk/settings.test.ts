import { MAGNITUDES } from '../../subgraphs/risk/settings/defaults.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

interface Figure {
  name: string;
  value: number;
  usual: number;
  own: number | null;
  unit: string;
  reason: string;
  source: { year: number; figure: string; title: string; url: string } | null;
}
interface Settings {
  currency: string;
  per_usd: number;
  threat_frequencies: Figure[];
  step_probabilities: Figure[];
  magnitudes: Figure[];
  updated_by: string | null;
}
const PATH = '/api/v1/settings/risk';
const settings = async (client: Client) => (await client.call<Settings>(PATH)).body;
const put = (client: Client, body: object, raw?: string) =>
  client.call<Settings>(PATH, {
    method: 'PUT',
    ...(raw === undefined ? { body } : { raw, headers: { 'content-type': 'application/json' } }),
  });
const figure = (figures: Figure[], name: string) => figures.find((one) => one.name === name)!;

it('shows every figure with why it is so, and the study where it is from one', async () => {
  const viewer = await (await world.tenant()).as('viewer');
  const { currency, updated_by, threat_frequencies, step_probabilities, magnitudes } = await settings(viewer);
  expect({ currency, updated_by }).toEqual({ currency: 'USD', updated_by: null });
  expect(threat_frequencies.map(({ name, value }) => [name, value])).toEqual([
    ['internet', 1],
    ['leaked_credential', 1],
    ['weak_sign_in', 1],
  ]);
  expect(step_probabilities.length).toBeGreaterThan(15);
  for (const one of [...threat_frequencies, ...step_probabilities, ...magnitudes]) {
    expect(one).toMatchObject({ own: null, value: one.usual, reason: expect.stringMatching(/./) });
    if (one.unit === 'money' || one.unit === 'hours')
      expect(one.source ?? one.reason).toEqual(one.source ?? expect.stringMatching(/^A judgement/));
  }
  expect([...MAGNITUDES.values()].filter(({ source }) => source !== null).length).toBeGreaterThan(7);
  expect((await put(viewer, { currency: 'EUR' })).status).toBe(403);
});

it("the tenant's own figures go before the usual ones, are audited, and can be taken back", async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()];
  const [admin, stranger] = [await tenant.as('tenant_admin'), await other.as('tenant_admin')];
  const own = { threat_frequencies: [{ name: 'internet', value: 3 }], step_probabilities: [{ name: 'escalation', value: 0.4 }] };
  expect((await put(admin, { ...own, currency: 'EUR', per_usd: 0.5 })).status).toBe(200);
  const after = await settings(admin);
  expect(figure(after.threat_frequencies, 'internet')).toMatchObject({ value: 3, usual: 1, own: 3 });
  expect(figure(after.step_probabilities, 'escalation')).toMatchObject({ value: 0.4, own: 0.4 });
  expect(figure(after.magnitudes, 'response_high')).toMatchObject({ value: 815_000, usual: 815_000, own: null });
  expect(figure(after.magnitudes, 'hours_high').value).toBe(720);
  await put(admin, { threat_frequencies: [{ name: 'internet', value: null }] });
  const back = await settings(admin);
  expect(figure(back.threat_frequencies, 'internet')).toMatchObject({ value: 1, own: null });
  expect(figure(back.step_probabilities, 'escalation').own).toBe(0.4);
  expect(await settings(stranger)).toMatchObject({ currency: 'USD', updated_by: null });
  const { body } = await admin.call<{ items: { detail: object }[] }>('/api/v1/audit-logs?action=risk_settings.update');
  expect(body.items).toHaveLength(2);
  expect(body.items[1]!.detail).toMatchObject({ currency: 'EUR', ...own });
});

it('refuses figures that are none', async () => {
  const admin = await (await world.tenant()).as('tenant_admin');
  const of = (name: string, value: unknown) => ({ magnitudes: [{ name, value }] });
  const wrong: [object, string][] = [
    [of('response_low', -1), 'magnitudes.0.value'],
    [of('response_low', 1e13), 'magnitudes.0.value'],
    [of('hours_high', 9_000), 'magnitudes.0.value'],
    [of('tail', 11), 'magnitudes.0.value'],
    [of('nothing', 1), 'magnitudes.0.name'],
    [of('response_low', 5_000_000), 'magnitudes'],
    [{ step_probabilities: [{ name: 'escalation', value: 1.01 }] }, 'step_probabilities.0.value'],
    [{ step_probabilities: [{ name: 'escalation', value: 0 }] }, 'step_probabilities.0.value'],
    [{ threat_frequencies: [{ name: 'internet', value: 1_001 }] }, 'threat_frequencies.0.value'],
    [{ currency: 'euro' }, 'currency'],
    [{ currency: 'EUR' }, 'per_usd'],
    [{ per_usd: 2 }, 'per_usd'],
  ];
  for (const [body, path] of wrong) {
    const answer = await put(admin, body);
    expect([body, answer.status]).toEqual([body, 422]);
    expect(answer.text).toContain(`"path":"${path}"`);
  }
  for (const number of ['NaN', '1e999', '"NaN"', '-Infinity'])
    expect([400, 422]).toContain((await put(admin, {}, `{"threat_frequencies":[{"name":"internet","value":${number}}]}`)).status);
  expect(await settings(admin)).toMatchObject({ updated_by: null });
});
