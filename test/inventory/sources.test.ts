import { completed } from '../../subgraphs/di/presence/completed.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const VOLUME = 'arn:aws:ec2:eu-west-1:111122223333:volume/vol-1';
const path = `/api/v1/inventory/asset/${encodeURIComponent(VOLUME)}`;
const answer = (facts: Record<string, unknown>) => ({
  Volumes: [{ VolumeId: 'vol-1', AvailabilityZone: 'eu-west-1a', VolumeType: 'gp3', ...facts }],
});
const state = (attributes: Record<string, unknown>) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'volumes' },
  resources: [
    {
      ...{ mode: 'managed', type: 'aws_ebs_volume', name: 'a', provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
      instances: [{ attributes: { id: 'vol-1', arn: VOLUME, availability_zone: 'eu-west-1a', ...attributes } }],
    },
  ],
});
const see = async (client: Client, scan_run_id: string, report: unknown, more: Record<string, string> = {}) =>
  expect(await client.import(report, { scan_run_id, account_id: '111122223333', ...more })).toMatchObject({ state: 'COMPLETED' });
const configurationOf = async (client: Client) => (await client.call<{ configuration: Record<string, unknown> }>(path)).body.configuration;
const eventsOf = async (client: Client) =>
  (await client.call<{ items: { event: string; scan_run_id: string; paths: { path: string; after: unknown }[] }[] }>(`${path}/history`))
    .body.items;

it('an answer of a cloud goes before a state, whichever comes first; both are in the history; of answers the later counts', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'state-1', state({ encrypted: true, size: 8, final_snapshot: true }));
  await see(client, 'answer-1', answer({ Encrypted: false, Size: 8 }));
  // what the interface does not tell is the state's
  expect(await configurationOf(client)).toMatchObject({ encrypted: false, size: 8, final_snapshot: true });
  await see(client, 'state-2', state({ encrypted: true, size: 8, final_snapshot: true }));
  expect(await configurationOf(client)).toMatchObject({ encrypted: false });
  await see(client, 'answer-0', answer({ Encrypted: true, Size: 8 }), { observed_at: '2020-01-01T00:00:00Z' });
  expect(await configurationOf(client)).toMatchObject({ encrypted: false });
  await see(client, 'answer-2', answer({ Encrypted: true, Size: 16 }));
  expect(await configurationOf(client)).toMatchObject({ encrypted: true, size: 16 });
  const events = await eventsOf(client);
  expect(events.map(({ event, scan_run_id }) => `${event} ${scan_run_id}`)).toEqual([
    'changed answer-2',
    'disagreed answer-0',
    'disagreed state-2',
    'changed answer-1',
    'added state-1',
  ]);
  expect(events[2]!.paths).toContainEqual(expect.objectContaining({ path: 'encrypted', after: true }));
});

it('what one answer leaves open another fills, and a null that is told stands', () => {
  const bucket = { configuration: { bucket: 'a', policy: null }, unknown_paths: ['*', 'aws_s3_bucket_versioning'] };
  const other = {
    configuration: { bucket: 'a', policy: '{}', versioning: [{ enabled: true }] },
    unknown_paths: ['*', 'versioning.*'],
    sensitive_paths: [],
  };
  expect(completed(bucket, other)).toEqual({
    configuration: { bucket: 'a', policy: null, versioning: [{ enabled: true }] },
    unknown_paths: ['*', 'versioning.*'],
    sensitive_paths: [],
  });
  const whole = { configuration: { bucket: 'a' }, unknown_paths: [] };
  expect(completed(whole, other)).toBe(whole);
});
