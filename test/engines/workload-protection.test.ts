import { agentState, imageState, patchState } from '../../subgraphs/cwpp/protection/state.js';
import { fixture } from '../importers/fixtures.js';
import { enrollAgent, reportHeaders, sendReport } from '../support/agents.js';
import { openWorld, type Client, type World } from '../support/world.js';

interface State {
  holds: boolean | null;
  reason: string;
  seen_at: string | null;
}
interface Workload {
  resource_uid: string;
  kind: string | null;
  runtime_findings: number;
  protection: Record<'agent' | 'runtime_sensor' | 'image_scanned' | 'patched', State>;
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const IMAGE = 'ghcr.io/shop/cart:1.4';
const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: cart, namespace: shop }
spec:
  selector: { matchLabels: { app: cart } }
  template:
    metadata: { labels: { app: cart } }
    spec:
      containers: [{ name: cart, image: '${IMAGE}' }]
`;
const BOM = {
  ...{ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 },
  metadata: { component: { type: 'container', name: IMAGE, 'bom-ref': 'root' } },
  components: [{ type: 'library', name: 'left-pad', version: '1.3.0', purl: 'pkg:npm/left-pad@1.3.0' }],
};

const bring = async (client: Client, report: unknown, query: Record<string, string> = {}) => {
  const run = await client.import(report, { provider: 'aws', ...query });
  expect([run.state, run.errors]).toEqual(['COMPLETED', []]);
};
const workloads = async (client: Client): Promise<ReadonlyMap<string, Workload>> => {
  const { body, text } = await client.call<{ items: Workload[] }>('/api/v1/cwpp/workloads?page_size=50');
  if (!Array.isArray(body.items)) throw new Error(text);
  return new Map(body.items.map((one) => [one.resource_uid, one]));
};
const holdsOf = ({ protection }: Workload) =>
  [protection.agent, protection.runtime_sensor, protection.image_scanned, protection.patched].map(({ holds }) => holds);

it('tells of hosts, pods and images what agents, sensors, scanners and lists of packages say, and null with a reason else', async () => {
  const admin = await (await world.tenant()).as('org_admin');
  const agent = await enrollAgent(admin, 'mail1');
  // one line of the fixture is broken, which is another test's
  const list = fixture('host_packages', 'debian.txt').toString().replace('broken line\n', '');
  const sent = await sendReport(world.anonymous, list, reportHeaders(agent, list, { report_id: 'packages' }));
  expect((await admin.finished(sent.body.scan_run_id)).state).toBe('COMPLETED');
  await bring(admin, fixture('falco', 'array.json').toString());
  await bring(admin, DEPLOYMENT);
  const before = await workloads(admin);
  const pod = [...before.keys()].find((uid) => uid.includes('cart'))!;
  expect(holdsOf(before.get('mail1')!)).toEqual([true, null, null, true]);
  expect(holdsOf(before.get('node-1')!)).toEqual([false, true, null, null]);
  expect([before.get('node-1')!.kind, before.get('node-1')!.runtime_findings]).toEqual(['vm', 1]);
  expect(holdsOf(before.get(pod)!)).toEqual([null, null, false, null]);
  for (const { protection } of before.values())
    for (const state of Object.values(protection)) expect(state.reason.length).toBeGreaterThan(10);

  await bring(admin, BOM);
  expect(holdsOf((await workloads(admin)).get(pod)!)).toEqual([null, null, true, true]);
  // nothing of another tenant
  expect([...(await workloads(await (await world.tenant()).as('tenant_admin'))).keys()]).toEqual([]);
});

const NOW = new Date('2030-01-02T00:00:00.000Z');
const HOST = { kind: 'vm', isReported: true, image: null };
const ago = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);

it('takes an agent for protection for 24 hours, and says nothing where a machine may go by another name', () => {
  expect([agentState(HOST, [ago(24)], NOW), agentState(HOST, [ago(24.1)], NOW)].map(({ holds }) => holds)).toEqual([true, false]);
  expect([agentState(HOST, [ago(30), ago(1)], NOW), agentState(HOST, [null], NOW)].map(({ holds }) => holds)).toEqual([true, false]);
  const unknown = [
    agentState({ ...HOST, isReported: false }, [], NOW),
    agentState({ ...HOST, kind: 'function', isReported: false }, [], NOW),
  ];
  expect(unknown.map(({ holds }) => holds)).toEqual([null, null]);
});

it('takes nothing for patched of which nothing is known, or which the caller may not read', () => {
  const image = (isScanned: boolean) => ({ uid: IMAGE, isScanned, scanned_at: null });
  const pod = { kind: 'container', isReported: false, image: null };
  const [scanned, half, none] = [[image(true)], [image(true), image(false)], []].map((images) => imageState(pod, images, 0));
  expect([scanned!.holds, half!.holds, none!.holds, imageState(pod, [image(true)], 1).holds]).toEqual([true, false, null, null]);
  expect(imageState({ ...pod, image: IMAGE }, [], 0).holds).toBe(false);
  expect(imageState({ ...pod, image: '${var.image}' }, [], 0).holds).toBeNull();
  const clean = { fixable: 0, total: 0, listed: [] };
  expect(
    [patchState(scanned!, null), patchState(scanned!, clean), patchState(half!, clean), patchState(none!, clean)].map(({ holds }) => holds),
  ).toEqual([null, true, null, null]);
  expect([patchState(none!, { ...clean, fixable: 2 }), patchState(none!, { ...clean, listed: [NOW] })].map(({ holds }) => holds)).toEqual([
    false,
    true,
  ]);
});
