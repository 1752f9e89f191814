import { attestations } from '../../subgraphs/compliance/records.js';
import { expectError } from '../contract/expect-error.js';
import { attest, control, controls, DAY, inMs, report, type Attestation } from '../support/compliance.js';
import { plan } from '../support/inventories.js';
import { audited, violated, type Page } from '../support/posture.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

const CIS = 'cis_aws_3_0_0';
/** The control of CIS that asks for encrypted volumes: rules assess it. */
const VOLUMES = '2.2.1';

let world: World;
let manual: string;
beforeAll(async () => {
  world = await openWorld();
  const client = await (await world.tenant()).as('viewer');
  manual = (await controls(client, CIS, 'status=MANUAL'))[0]!.control_id;
});
afterAll(() => world.close());

const analyst = async () => (await world.tenant()).as('analyst');
const word = (change: Record<string, unknown> = {}) => ({
  framework_id: CIS,
  control_id: manual,
  status: 'met',
  evidence: 'Seen by the auditor',
  expires_at: inMs(DAY),
  ...change,
});
/** Moves the end of an attestation into the past, as time would. @returns the end */
async function expire({ tenant }: TestTenant, { attestation_id }: Attestation): Promise<string> {
  const expires_at = inMs(-1_000);
  const rows = world.database.tenant(tenant._id).collection(attestations);
  await rows.update({ _id: attestation_id }, { $set: { expires_at: new Date(expires_at) } });
  return expires_at;
}
const list = async (client: Client, query = '') => (await client.call<Page<Attestation>>(`/api/v1/compliance/attestations?${query}`)).body;

describe('an attestation', () => {
  it('that a control is met makes it pass, and counts for the score', async () => {
    const client = await analyst();
    expect(await control(client, CIS, manual)).toMatchObject({ status: 'MANUAL', attestation: null });
    const expires_at = inMs(DAY);
    const { status, body } = await attest(client, word({ evidence_url: 'https://docs.example.com/proof', expires_at }));
    expect(status).toBe(201);
    const stored = {
      framework_id: CIS,
      control_id: manual,
      status: 'met',
      evidence: 'Seen by the auditor',
      evidence_url: 'https://docs.example.com/proof',
      author: client.user!.email,
      expires_at,
      expired: false,
    };
    expect(body).toMatchObject(stored);
    expect(await control(client, CIS, manual)).toMatchObject({ status: 'PASS', attestation: body, rule_count: 0 });
    expect(await report(client, CIS)).toMatchObject({ score: 100, pass_count: 1, fail_count: 0 });
    expect((await controls(client, CIS, 'status=PASS')).map(({ control_id }) => control_id)).toEqual([manual]);
  });

  it('that it is not met makes it fail, and the latest one counts', async () => {
    const client = await analyst();
    await attest(client, word());
    await attest(client, word({ status: 'not_met' }));
    expect(await control(client, CIS, manual)).toMatchObject({ status: 'FAIL', attestation: { status: 'not_met' } });
    expect(await report(client, CIS)).toMatchObject({ score: 0, pass_count: 0, fail_count: 1 });
    await attest(client, word());
    expect((await control(client, CIS, manual)).status).toBe('PASS');
  });

  it('counts until it expires, and stays in the list as expired', async () => {
    const tenant = await world.tenant();
    const client = await tenant.as('analyst');
    const { body } = await attest(client, word());
    expect((await control(client, CIS, manual)).status).toBe('PASS');
    expect(await list(client, 'expired=true')).toMatchObject({ total: 0 });
    const expires_at = await expire(tenant, body);
    expect(await control(client, CIS, manual)).toMatchObject({ status: 'MANUAL', attestation: null });
    expect(await report(client, CIS)).toMatchObject({ score: 0, pass_count: 0 });
    expect((await list(client, 'expired=true')).items).toEqual([{ ...body, expires_at, expired: true }]);
    expect(await list(client, 'expired=false')).toMatchObject({ total: 0 });
  });

  it('gives way to an older one that is still valid', async () => {
    const tenant = await world.tenant();
    const client = await tenant.as('analyst');
    await attest(client, word({ status: 'not_met' }));
    const { body } = await attest(client, word());
    expect((await control(client, CIS, manual)).status).toBe('PASS');
    await expire(tenant, body);
    expect((await control(client, CIS, manual)).status).toBe('FAIL');
  });

  it('counts in the whole and in no provider’s own score', async () => {
    const client = await analyst();
    await client.import(plan({ 'aws_ebs_volume.a': { encrypted: false } }));
    const before = await report(client, CIS);
    await attest(client, word());
    const after = await report(client, CIS);
    expect(after.pass_count).toBe(before.pass_count + 1);
    expect(after.by_provider).toEqual(before.by_provider);
  });
});

describe('what is refused', () => {
  it.each([
    ['a control that rules assess', () => ({ control_id: VOLUMES }), ['control_id']],
    ['an unknown control', () => ({ control_id: '99.99' }), ['control_id']],
    ['an unknown framework', () => ({ framework_id: 'none_such' }), ['framework_id']],
    ['a time that is past', () => ({ expires_at: inMs(-1_000) }), ['expires_at']],
    ['more than three years', () => ({ expires_at: inMs(3 * 366 * DAY) }), ['expires_at']],
    ['no evidence', () => ({ evidence: '  ' }), ['evidence']],
    ['a link that is none', () => ({ evidence_url: 'javascript:alert(1)' }), ['evidence_url']],
    ['everything at once', () => ({ evidence: '', control_id: VOLUMES, expires_at: inMs(-1) }), ['control_id', 'evidence', 'expires_at']],
  ])('%s: 422 with the path, and nothing is stored', async (_case, change, paths) => {
    const client = await analyst();
    const named = violated(await attest(client, word(change()))).map(({ path }) => path);
    expect(named.sort()).toEqual(paths);
    expect(await list(client)).toMatchObject({ total: 0 });
  });

  it.each([
    ['another status', { status: 'perhaps' }],
    ['no time', { expires_at: 'tomorrow' }],
    ['no control', { control_id: undefined }],
  ])('%s: the body is not of the schema', async (_case, change) => {
    const client = await analyst();
    const { status } = await attest(client, word(change));
    expect([400, 422]).toContain(status);
    expect(await list(client)).toMatchObject({ total: 0 });
  });

  it('an attestation by a viewer, who may read them', async () => {
    const { as } = await world.tenant();
    const viewer = await as('viewer');
    expectError(await attest(viewer, word()), 'FORBIDDEN', 'compliance');
    await attest(await as('analyst'), word());
    expect(await list(viewer)).toMatchObject({ total: 1 });
    expect((await control(viewer, CIS, manual)).status).toBe('PASS');
  });
});

describe('attestations', () => {
  it('are listed, the latest first, with filters and pages', async () => {
    const client = await analyst();
    const other = (await controls(client, 'cis_aws_1_4_0', 'status=MANUAL'))[0]!.control_id;
    const made: Attestation[] = [];
    for (const change of [{}, { status: 'not_met' }, { framework_id: 'cis_aws_1_4_0', control_id: other }])
      made.unshift((await attest(client, word(change))).body);
    expect(await list(client)).toEqual({ items: made, total: 3, page: 1, page_size: 50, has_more: false });
    expect((await list(client, `framework_id=${CIS}`)).items).toEqual(made.slice(1));
    expect((await list(client, `framework_id=cis_aws_1_4_0&control_id=${other}`)).items).toEqual(made.slice(0, 1));
    expect(await list(client, 'page_size=1&page=2')).toMatchObject({ items: [made[1]], total: 3, has_more: true });
  });

  it('leave a trace in the audit log', async () => {
    const { as } = await world.tenant();
    const [client, admin] = [await as('analyst'), await as('tenant_admin')];
    const { body } = await attest(client, word({ status: 'not_met' }));
    expect(await audited(admin, 'attestation.create')).toMatchObject([
      {
        actor_email: client.user!.email,
        target: `control:${CIS}/${manual}`,
        result: 'success',
        detail: { status: 'not_met', expires_at: body.expires_at },
      },
    ]);
  });

  it('of one tenant say nothing of another', async () => {
    const [mine, theirs] = [await analyst(), await analyst()];
    await attest(mine, word());
    expect(await list(theirs)).toMatchObject({ total: 0, items: [] });
    expect((await control(theirs, CIS, manual)).status).toBe('MANUAL');
  });

  it('are made through the graph, too', async () => {
    const { as } = await world.tenant();
    const client = await as('analyst');
    const mutation = 'mutation($input: AttestationInput!) { create_attestation(input: $input) { control_id status expired } }';
    const made = await client.graphql(mutation, { input: word() });
    expect(made.data).toEqual({ create_attestation: { control_id: manual, status: 'met', expired: false } });
    expect((await control(client, CIS, manual)).status).toBe('PASS');
    const refused = await client.graphql(mutation, { input: word({ control_id: VOLUMES }) });
    expect(refused.errors![0]!.extensions.code).toBe('VALIDATION_ERROR');
    expect((await (await as('viewer')).graphql(mutation, { input: word() })).errors![0]!.extensions.code).toBe('FORBIDDEN');
    expect(await list(client)).toMatchObject({ total: 1 });
  });
});
