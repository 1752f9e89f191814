import { riskScore } from '../../kit/findings/risk-score.js';
import { state, WEB } from '../network/estate.js';
import { until } from '../support/stand-in.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const BASE: Readonly<Record<string, number>> = { critical: 75, high: 55, medium: 35, low: 15, info: 5 };
const BUCKET = 'arn:aws:s3:::ledger';

interface Finding {
  finding_id: string;
  severity: string;
  risk_score: number;
  version: number;
}
interface Asset {
  resource_uid: string;
  risk: { max: number; sum: number };
}
/** The highest risk score of the bucket's open findings, as the inventory tells it. */
const highest = async (client: Client) => (await client.call<Asset>(`/api/v1/inventory/asset/${encodeURIComponent(BUCKET)}`)).body.risk.max;
/** What the findings on a resource have beyond the base of their severity, each different sum once. */
const added = (found: readonly Finding[]) => [
  ...new Set(found.map(({ severity, risk_score }) => Math.min(100, risk_score) - BASE[severity]!)),
];
const findingsOn = async (client: Client, uid: string): Promise<Finding[]> => {
  const { body } = await client.call<{ items: Finding[] }>(`/api/v1/check/findings?resource_uid=${encodeURIComponent(uid)}&page_size=100`);
  expect(body.items.length).toBeGreaterThan(1);
  return body.items;
};
const classify = async (client: Client, uid: string, criticality: string | null) => {
  const path = `/api/v1/inventory/asset/${encodeURIComponent(uid)}/business-context`;
  expect((await client.call(path, { method: 'PUT', body: { criticality } })).status).toBe(200);
};
/** Waits until the findings on a resource have so much more. */
const untilAdded = (client: Client, uid: string, more: number): Promise<Finding[]> =>
  until(`risk scores ${more} above the base`, async () => {
    const found = await findingsOn(client, uid);
    return added(found).join() === String(more) && found;
  });
const bucket = (tags: Record<string, string>) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'ledger' },
  resources: [
    {
      ...{ mode: 'managed', type: 'aws_s3_bucket', name: 'ledger', provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
      instances: [{ attributes: { arn: BUCKET, bucket: 'ledger', tags } }],
    },
  ],
});
const see = async (client: Client, report: object) => expect(await client.import(report)).toMatchObject({ state: 'COMPLETED' });

it('is the sum of severity, exploitability, exposure and criticality, from 0 to 100', () => {
  const none = { exposure: null, criticality: null };
  expect(riskScore({ severity: 'medium' })).toBe(35);
  expect(riskScore({ severity: 'medium' }, none)).toBe(35);
  expect(riskScore({ severity: 'medium' }, { ...none, exposure: 'public' })).toBe(45);
  expect(riskScore({ severity: 'medium' }, { ...none, exposure: 'restricted' })).toBe(35);
  expect(riskScore({ severity: 'medium', epss: 0.1 }, { exposure: 'public', criticality: 'high' })).toBe(55);
  expect(riskScore({ severity: 'critical', known_exploited: true }, { exposure: 'public', criticality: 'critical' })).toBe(100);
  expect(riskScore({ severity: 'info' }, { exposure: 'private', criticality: 'low' })).toBe(0);
});

it('follows what a person says of the resource, with an audit entry, and what lists of assets show follows', async () => {
  const tenant = await world.tenant();
  const client = await tenant.as('tenant_admin');
  const other = await (await world.tenant()).as('analyst');
  await see(client, bucket({}));
  await see(other, bucket({}));
  const before = await findingsOn(client, BUCKET);
  expect(added(before)).toEqual([0]);
  const highestBefore = await highest(client);
  await classify(client, BUCKET, 'critical');
  const after = await untilAdded(client, BUCKET, 10);
  expect(after.map(({ version }) => version)).toEqual(before.map(({ version }) => version + 1));
  await until('the risk of the asset', async () => (await highest(client)) === highestBefore + 10);
  const audit = await client.call<{ items: { action: string; actor_email: string }[] }>('/api/v1/audit-logs?action=finding.rescore');
  expect(audit.body.items).toContainEqual(expect.objectContaining({ action: 'finding.rescore', actor_email: 'system' }));
  // the same again changes nothing
  await classify(client, BUCKET, 'critical');
  await classify(client, BUCKET, 'low');
  const low = await untilAdded(client, BUCKET, -10);
  expect(low.map(({ version }) => version)).toEqual(after.map(({ version }) => version + 1));
  expect(added(await findingsOn(other, BUCKET))).toEqual([0]);
});

it('weighs the tags of the report that brings resource and findings, and those of the next one', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, bucket({ Criticality: 'critical' }));
  expect(added(await findingsOn(client, BUCKET))).toEqual([10]);
  await see(client, bucket({ Criticality: 'high' }));
  expect(added(await findingsOn(client, BUCKET))).toEqual([5]);
  await see(client, bucket({}));
  expect(added(await findingsOn(client, BUCKET))).toEqual([0]);
});

it('weighs whether the internet reaches the resource, once a run has told', async () => {
  const client = await (await world.tenant()).as('tenant_admin');
  await see(client, state([]));
  expect(added(await findingsOn(client, WEB))).toEqual([0]);
  await see(client, state([22]));
  expect(added(await findingsOn(client, WEB))).toEqual([10]);
  await classify(client, WEB, 'high');
  await untilAdded(client, WEB, 15);
  await see(client, state([]));
  expect(added(await findingsOn(client, WEB))).toEqual([5]);
});
