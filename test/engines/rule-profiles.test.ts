import { plan, planned } from '../support/inventories.js';
import {
  audited,
  findings,
  move,
  results,
  violated,
  type Page,
  type PostureFinding,
  type RuleItem,
  type Violations,
} from '../support/posture.js';
import { eventually } from '../support/receiver.js';
import { recount, storedTallies } from '../support/tallies.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

const PATH = '/api/v1/settings/posture';
const VOLUME = 'aws_ebs_volume.data';
/** In the recommended profile, and outside of it. */
const ENCRYPTED = 'aws.ebs.volume.encryption_at_rest';
const OWN_KEY = 'aws.ebs.volume.customer_managed_key';
const volume = plan({ [VOLUME]: { encrypted: false, size: 8, availability_zone: 'eu-central-1a' } });

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

interface Settings extends Violations {
  profile: string;
  profiles: string[];
  rule_profile: { rules: number; in_profile: number };
  reevaluation_job: string | null;
}
interface Job {
  state: string;
  result: { resources: number; opened: number; closed: number; changed: number; left_out: number };
}
const fresh = async () => {
  const tenant = await world.tenant();
  return { tenant, analyst: await tenant.as('analyst'), admin: await tenant.as('tenant_admin') };
};
const put = (admin: Client, body: Record<string, unknown>) => admin.call<Settings>(PATH, { method: 'PUT', body });

/** Waits for the job that follows the last change. */
async function followed(admin: Client): Promise<Job['result']> {
  const { body } = await admin.call<Settings>(PATH);
  const ask = () => admin.call<Job>(`/api/v1/jobs/${body.reevaluation_job}`);
  return (await eventually(ask, (answer) => answer.body.state === 'COMPLETED')).body.result;
}
const choose = async (admin: Client, profile: string) => {
  expect((await put(admin, { profile })).body.profile).toBe(profile);
  return followed(admin);
};
const statuses = async (client: Client) =>
  Object.fromEntries((await findings(client)).map(({ rule_id, status }) => [rule_id, status])) as Record<string, string>;
const one = async (client: Client, rule: string): Promise<PostureFinding> => (await findings(client, `rule_id=${rule}`))[0]!;
const expectCounted = async ({ tenant: { _id: tenant_id } }: TestTenant) =>
  expect(await storedTallies(world.database, tenant_id)).toEqual(await recount(world.database, tenant_id));

describe('a profile that a tenant chooses', () => {
  it('takes effect on what is stored: what leaves it closes with the reason, what enters it opens, and no result changes', async () => {
    const { tenant, analyst, admin } = await fresh();
    await analyst.import(volume, { scan_run_id: 'first' });
    const before = await statuses(analyst);
    expect(before).toMatchObject({ [ENCRYPTED]: 'OPEN', [OWN_KEY]: 'OPEN' });
    const tallies = await storedTallies(world.database, tenant.tenant._id);
    const closed = await choose(admin, 'recommended');
    const narrowed = await statuses(analyst);
    expect(narrowed).toMatchObject({ [ENCRYPTED]: 'OPEN', [OWN_KEY]: 'RESOLVED' });
    const open = (all: Record<string, string>) => Object.values(all).filter((status) => status === 'OPEN').length;
    expect(closed).toMatchObject({ resources: 1, closed: open(before) - open(narrowed), opened: 0, left_out: 0 });
    expect((await results(analyst, OWN_KEY)).items).toMatchObject([{ result: 'FAIL', scan_run_id: 'first' }]);
    expect(await storedTallies(world.database, tenant.tenant._id)).toEqual(tallies);
    await expectCounted(tenant);
    const { engine, finding_id } = await one(analyst, OWN_KEY);
    const { data } = await analyst.graphql<Record<string, { resolved_by: unknown }>>(
      `query($id: ID!) { ${engine.replaceAll('-', '_')}_finding(finding_id: $id) { resolved_by { profile implied_by } } }`,
      { id: finding_id },
    );
    expect(Object.values(data!)[0]!.resolved_by).toEqual({ profile: 'recommended', implied_by: null });
    expect(await choose(admin, 'all')).toMatchObject({ opened: closed.closed, closed: 0 });
    expect(await statuses(analyst)).toEqual(before);
    await expectCounted(tenant);
    // the same once more is no change
    const job = (await admin.call<Settings>(PATH)).body.reevaluation_job;
    expect((await put(admin, { profile: 'all' })).body.reevaluation_job).toBe(job);
    expect(await audited(admin, 'rule.settings')).toMatchObject([
      { target: 'rule_profile', detail: { profile: 'all', previous: 'recommended' } },
      { target: 'rule_profile', detail: { profile: 'recommended', previous: 'all' } },
    ]);
  });

  it('is what runs go by, and what it leaves out of an import opens with its evidence when it is wider', async () => {
    const { tenant, analyst, admin } = await fresh();
    await choose(admin, 'recommended');
    await analyst.import(volume);
    const narrow = await statuses(analyst);
    expect(narrow).toMatchObject({ [ENCRYPTED]: 'OPEN' });
    expect(narrow).not.toHaveProperty(OWN_KEY);
    expect((await results(analyst, OWN_KEY)).items).toMatchObject([{ result: 'FAIL' }]);
    await expectCounted(tenant);
    await choose(admin, 'all');
    const found = await one(analyst, OWN_KEY);
    expect(found).toMatchObject({ status: 'OPEN', resource_uid: planned(VOLUME) });
    const { body } = await analyst.call<{ finding: { findingData: Record<string, unknown> } }>(
      `/api/v1/views/finding/${found.engine}/${found.finding_id}`,
    );
    expect(body.finding.findingData).toMatchObject({ address: VOLUME, status_detail: expect.stringContaining('`kms_key_id` is not set') });
    // and the next run sees the same
    expect((await analyst.import(volume)).counts).toMatchObject({ new: 0, resolved: 0, regressed: 0 });
    await choose(admin, 'recommended');
    expect((await analyst.import(volume)).counts).toMatchObject({ new: 0, resolved: 0, regressed: 0 });
    await expectCounted(tenant);
  });

  it('leaves alone what people have set aside, closed themselves, and other tenants', async () => {
    const [mine, theirs] = [await fresh(), await fresh()];
    await mine.analyst.import(volume);
    await theirs.analyst.import(volume);
    await move(mine.analyst, await one(mine.analyst, OWN_KEY), 'SUPPRESSED');
    await move(mine.analyst, await one(mine.analyst, ENCRYPTED), 'RESOLVED');
    await choose(mine.admin, 'recommended');
    expect(await statuses(mine.analyst)).toMatchObject({ [OWN_KEY]: 'SUPPRESSED', [ENCRYPTED]: 'RESOLVED' });
    await choose(mine.admin, 'all');
    expect(await statuses(mine.analyst)).toMatchObject({ [OWN_KEY]: 'SUPPRESSED', [ENCRYPTED]: 'RESOLVED' });
    await expectCounted(mine.tenant);
    expect(await statuses(theirs.analyst)).toMatchObject({ [OWN_KEY]: 'OPEN', [ENCRYPTED]: 'OPEN' });
    expect((await theirs.admin.call<Settings>(PATH)).body).toMatchObject({ profile: 'all', reevaluation_job: null });
  });

  it('is the newest, however fast others come behind it', async () => {
    const { analyst, admin, tenant } = await fresh();
    await analyst.import(volume);
    await Promise.all(['recommended', 'cis-1', 'all', 'recommended'].map((profile) => put(admin, { profile })));
    await put(admin, { profile: 'all' });
    await put(admin, { profile: 'recommended' });
    await followed(admin);
    expect(await statuses(analyst)).toMatchObject({ [ENCRYPTED]: 'OPEN', [OWN_KEY]: 'RESOLVED' });
    await expectCounted(tenant);
  });

  it('is one of those that there are', async () => {
    const { admin } = await fresh();
    const [fault] = violated(await put(admin, { profile: 'strict' }));
    expect(fault).toMatchObject({ path: 'profile', message: expect.stringContaining('recommended, cis-1, cis-2, all') });
    const { body } = await admin.call<Settings>(PATH);
    expect(body.profiles).toEqual(expect.arrayContaining(['recommended', 'pci_dss_4_0']));
    expect(body.rule_profile.in_profile).toBe(body.rule_profile.rules);
  });
});

describe('a rule', () => {
  it('tells its profiles, and lists are of one', async () => {
    const { analyst } = await fresh();
    const { body } = await analyst.call<RuleItem & { profiles: string[] }>(`/api/v1/rules/${ENCRYPTED}`);
    expect(body.profiles).toEqual(expect.arrayContaining(['recommended', 'all']));
    const listed = async (profile: string) =>
      (await analyst.call<Page<RuleItem>>(`/api/v1/rules?resource_type=aws_ebs_volume&profile=${profile}`)).body.items.map(
        ({ rule_id }) => rule_id,
      );
    expect(await listed('recommended')).toEqual([ENCRYPTED]);
    expect(await listed('all')).toEqual(expect.arrayContaining([ENCRYPTED, OWN_KEY]));
    expect(await listed('nowhere')).toEqual([]);
  });

  it('that is switched off closes its findings at once and counts no more; another severity holds at once', async () => {
    const { tenant, analyst, admin } = await fresh();
    await analyst.import(volume);
    const set = async (rule: string, body: object) => {
      expect((await admin.call(`/api/v1/rules/${rule}/settings`, { method: 'PUT', body })).status).toBe(200);
      return followed(admin);
    };
    expect(await set(OWN_KEY, { enabled: false })).toMatchObject({ closed: 1, opened: 0, changed: 0 });
    expect(await one(analyst, OWN_KEY)).toMatchObject({ status: 'RESOLVED' });
    expect((await results(analyst, OWN_KEY)).items).toEqual([]);
    expect(await set(ENCRYPTED, { severity: 'low' })).toMatchObject({ closed: 0, opened: 0, changed: 1 });
    expect(await one(analyst, ENCRYPTED)).toMatchObject({ status: 'OPEN', severity: 'low' });
    await expectCounted(tenant);
    // it is evaluated again with the next run
    await set(OWN_KEY, { enabled: true });
    expect((await analyst.import(volume)).counts).toMatchObject({ regressed: 1, new: 0, resolved: 0 });
    expect(await one(analyst, OWN_KEY)).toMatchObject({ status: 'OPEN' });
    await expectCounted(tenant);
  });
});
