import { randomUUID } from 'node:crypto';
import { jobs } from '../../kit/work/jobs.js';
import { TICKET_STATUS_JOB } from '../../subgraphs/events/tickets/status-in.js';
import { ticketRowId, tickets } from '../../subgraphs/events/tickets/records.js';
import { hubSignature, jiraInput, movedBody, startJira, type JiraStandIn } from '../support/jira.js';
import { bucket, ocsf } from '../support/reports.js';
import { until } from '../support/stand-in.js';
import { startGithub, startGitlab, trackerInputs } from '../support/trackers.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { type Client, type TestTenant } from '../support/world.js';

// each test is many calls, and waits for workers that poll
jest.setTimeout(600_000);

interface TicketLink {
  finding_id: string;
  engine: string;
  ticket_id: string;
  ticket_url: string;
  integration_id: string | null;
  linked_by: string;
}
interface Detail {
  finding: { status: string; ticketId: string | null; ticketUrl: string | null };
}
interface Timeline {
  items: { action: string; actor_email: string; from: string | null; to: string | null; note: string | null }[];
}

let world: OwnWorld;
let jira: JiraStandIn;
let tenant: TestTenant;
let admin: Client;
let analyst: Client;
let integration: string;
let id: string;
beforeAll(async () => {
  jira = await startJira();
  world = await openOwnWorld({ env: { OUTBOUND_ALLOW: '127.0.0.0/8', PUBLIC_URL: 'https://palisade.example' }, servers: 2 });
});
afterAll(async () => {
  await world.close();
  await jira.close();
});
beforeEach(async () => {
  Object.assign(jira, { losesAnswers: false, hasPriority: true, fails: null });
  ({ tenant, admin, analyst, integration, id } = await newTenant());
});

const TITLE = 'A title of {noformat} {NoFormat} *bold* <b>\r\nand two lines';

async function newTenant() {
  const made = await world.tenant();
  const [one, two] = [await made.as('tenant_admin'), await made.as('analyst')];
  await one.import(ocsf([{ rule: 'r', resource: bucket('a'), severity: 'Critical', title: TITLE }]), { scan_run_id: 'run' });
  const { body } = await one.call<{ integration_id: string }>('/api/v1/integrations', { body: jiraInput(jira.url) });
  const listed = await one.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings');
  return { tenant: made, admin: one, analyst: two, integration: body.integration_id, id: listed.body.items[0]!.finding_id };
}

const view = () => `/api/v1/views/finding/check/${id}`;
const link = (body: object, client = analyst) => client.call<TicketLink>(`${view()}/ticket`, { method: 'PUT', body });
const unlink = () => analyst.call(`${view()}/ticket`, { method: 'DELETE' });
const detail = async () => (await analyst.call<Detail>(view())).body.finding;
const timeline = async () => (await analyst.call<Timeline>(`${view()}/timeline`)).body.items;
const made = () => [...jira.issues.values()];

describe('making a ticket', () => {
  it('tells of the finding as plain text, and the finding of the ticket', async () => {
    const before = jira.issues.size;
    const { status, body } = await link({ integration_id: integration });
    expect([status, jira.issues.size]).toEqual([200, before + 1]);
    const { key, fields } = made().at(-1)!;
    expect(body).toMatchObject({
      engine: 'check',
      finding_id: id,
      ticket_id: key,
      ticket_url: `${jira.url}/browse/${key}`,
      integration_id: integration,
      linked_by: analyst.user!.email,
    });
    expect(fields.summary).toBe('[critical] A title of {noformat} {NoFormat} *bold* <b> and two lines');
    expect(fields).toMatchObject({ priority: { name: 'Highest' }, issuetype: { name: 'Bug' } });
    expect(fields.labels).toEqual(['palisade', expect.stringMatching(/^palisade-[0-9a-f]{32}$/) as unknown, 'security']);
    expect(JSON.stringify(fields.description)).toContain(`https://palisade.example${view()}`);
    expect(JSON.stringify(fields.description)).toContain(bucket('a'));
    expect(await detail()).toMatchObject({ ticketId: key, ticketUrl: `${jira.url}/browse/${key}` });
    expect((await timeline())[0]).toMatchObject({ action: 'finding.link_ticket', note: `${key} ${jira.url}/browse/${key}` });
  });

  it('again gives the same ticket, whoever asks and however often at once', async () => {
    const first = (await link({ integration_id: integration })).body;
    const count = jira.issues.size;
    expect((await link({ integration_id: integration }, admin)).body).toEqual(first);
    await unlink();
    const answers = await Promise.all(Array.from({ length: 8 }, () => link({ integration_id: integration })));
    for (const { status, body } of answers) expect([200, 409]).toContain(status === 200 && body.ticket_id !== first.ticket_id ? 0 : status);
    expect((await link({ integration_id: integration })).body.ticket_id).toBe(first.ticket_id);
    expect(jira.issues.size).toBe(count);
  });

  it('eight times at once for the first time, at two processes, makes one', async () => {
    const count = jira.issues.size;
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => link({ integration_id: integration }, world.at(analyst, n % 2))));
    expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(jira.issues.size).toBe(count + 1);
  });

  it('whose answer is lost is found again by its label, instead of made twice', async () => {
    const count = jira.issues.size;
    jira.losesAnswers = true;
    expect((await link({ integration_id: integration })).status).toBe(503);
    expect([jira.issues.size, (await detail()).ticketId]).toEqual([count + 1, null]);
    jira.losesAnswers = false;
    // until the claim ends, nobody tries
    expect((await link({ integration_id: integration })).status).toBe(409);
    const row = { _id: ticketRowId(tenant.tenant._id, integration, 'check', id) };
    await world.database
      .tenant(tenant.tenant._id)
      .collection(tickets)
      .update(row, { $set: { claimed_until: new Date(0) } });
    expect((await link({ integration_id: integration })).body.ticket_id).toBe(made().at(-1)!.key);
    expect(jira.issues.size).toBe(count + 1);
  });

  it('in a project without priorities leaves the priority out', async () => {
    jira.hasPriority = false;
    expect((await link({ integration_id: integration })).status).toBe(200);
    expect(made().at(-1)!.fields['priority']).toBeUndefined();
  });

  it('at Jira Data Center writes a block that is not formatted', async () => {
    const { username: _none, ...credentials } = jiraInput('').credentials;
    const input = { ...jiraInput(jira.url), credentials };
    const { body } = await admin.call<{ integration_id: string }>('/api/v1/integrations', { body: input });
    expect((await link({ integration_id: body.integration_id })).status).toBe(200);
    const text = made().at(-1)!.fields.description as string;
    expect(text.match(/\{noformat/gi)).toHaveLength(2);
    expect(text).toMatch(/^\{noformat\}\n[^]*\n\{noformat\}$/);
  });

  it('fails with what the tracker says, and links nothing', async () => {
    jira.fails = 403;
    expect((await link({ integration_id: integration })).status).toBe(422);
    jira.fails = 502;
    expect((await link({ integration_id: integration })).status).toBe(503);
    expect((await detail()).ticketId).toBeNull();
    jira.fails = null;
    expect((await link({ integration_id: integration })).status).toBe(200);
  });
});

describe('linking a ticket that there is', () => {
  it('looks it up in the tracker', async () => {
    const { body: first } = await link({ integration_id: integration });
    await admin.import(ocsf([{ rule: 'other', resource: bucket('b') }]), { scan_run_id: 'other' });
    expect((await link({ integration_id: integration, ticket_id: first.ticket_id })).body).toEqual(first);
    const absent = await link({ integration_id: integration, ticket_id: 'SEC-9999' });
    expect([absent.status, absent.body]).toMatchObject([422, { detail: [{ path: 'ticket_id', message: 'there is no such ticket' }] }]);
    expect((await link({ integration_id: integration, ticket_id: '../../myself' })).status).toBe(422);
  });

  it('takes any ticket by its address, and no other scheme than http and https', async () => {
    const ticket = { ticket_id: 'INC-7', ticket_url: 'https://tracker.example/INC-7' };
    expect((await link(ticket)).body).toMatchObject({ ...ticket, integration_id: null });
    expect((await detail()).ticketUrl).toBe(ticket.ticket_url);
    for (const body of [
      {},
      { ticket_id: 'INC-7' },
      { ...ticket, ticket_url: 'javascript:alert(1)' },
      { ...ticket, integration_id: integration },
    ])
      expect((await link(body)).status).toBe(422);
  });

  it('is undone without a word to the tracker, and only once', async () => {
    const { body } = await link({ integration_id: integration });
    const calls = jira.calls.length;
    expect((await unlink()).status).toBe(204);
    expect([await detail(), jira.calls.length]).toMatchObject([{ ticketId: null, ticketUrl: null }, calls]);
    expect((await unlink()).status).toBe(404);
    expect((await timeline()).slice(0, 2).map(({ action, note }) => [action, note!.split(' ')[0]])).toEqual([
      ['finding.unlink_ticket', body.ticket_id],
      ['finding.link_ticket', body.ticket_id],
    ]);
  });

  it('is for those who may triage', async () => {
    const viewer = await tenant.as('viewer');
    expect((await link({ integration_id: integration }, viewer)).status).toBe(403);
    expect((await viewer.call(`${view()}/ticket`, { method: 'DELETE' })).status).toBe(403);
  });
});

describe('an integration of the body', () => {
  it('of another tenant is refused like one that never was', async () => {
    const other = await newTenant();
    const count = jira.issues.size;
    const [theirs, absent] = [await link({ integration_id: other.integration }), await link({ integration_id: randomUUID() })];
    expect([theirs.status, theirs.text]).toEqual([422, absent.text]);
    const rule = (integration_id: string) =>
      admin.call('/api/v1/notification-rules/r', { method: 'PUT', body: { name: 'r', event: 'new', integration_id } });
    expect((await rule(other.integration)).text).toBe((await rule(randomUUID())).text);
    expect([(await rule(other.integration)).status, (await rule(integration)).status, jira.issues.size]).toEqual([422, 200, count]);
  });

  it('must be active and make tickets', async () => {
    const pause = (state: string) => admin.call(`/api/v1/integrations/${integration}`, { method: 'PATCH', body: { state } });
    await pause('paused');
    expect((await link({ integration_id: integration })).status).toBe(422);
    await pause('active');
    expect((await link({ integration_id: integration })).status).toBe(200);
  });
});

describe('the hook', () => {
  const post = (body: string, signature: string | null = hubSignature(body), target = integration) =>
    world.anonymous.call(`/gateway/hooks/jira/${target}`, {
      raw: body,
      headers: { 'content-type': 'application/json', ...(signature !== null && { 'x-hub-signature': signature }) },
    });
  const moved = async (status: string) => until(status, async () => (await detail()).status === status);
  const settled = () => new Promise((resolve) => setTimeout(resolve, 1_500));

  it('takes the same message once, and the address of the last release still answers', async () => {
    const { ticket_id } = (await link({ integration_id: integration })).body;
    const body = movedBody(ticket_id, 'in progress', 500);
    const former = await world.anonymous.call(`/api/hooks/jira/${integration}`, {
      raw: body,
      headers: { 'content-type': 'application/json', 'x-hub-signature': hubSignature(body) },
    });
    expect(former.status).toBe(202);
    expect((await post(body)).status).toBe(202);
    await moved('IN_PROGRESS');
    const taken = world.database.tenant(tenant.tenant._id).collection(jobs);
    expect(await taken.count({ kind: TICKET_STATUS_JOB })).toBe(1);
  });

  it('moves the finding as the ticket moves, in the name of the integration', async () => {
    const { ticket_id } = (await link({ integration_id: integration })).body;
    expect((await post(movedBody(ticket_id, 'in progress', 1_000))).status).toBe(202);
    await moved('IN_PROGRESS');
    expect((await post(movedBody(ticket_id, 'Done', 2_000))).status).toBe(202);
    await moved('RESOLVED');
    expect((await timeline()).slice(0, 2)).toMatchObject([
      {
        action: 'finding.status',
        actor_email: 'integration:Tracker',
        from: 'IN_PROGRESS',
        to: 'RESOLVED',
        note: `${ticket_id} moved to Done`,
      },
      { action: 'finding.status', actor_email: 'integration:Tracker', from: 'OPEN', to: 'IN_PROGRESS' },
    ]);
  });

  it('ignores what is old, repeated, not mapped, no change of status, or a move that the lifecycle forbids', async () => {
    const { ticket_id } = (await link({ integration_id: integration })).body;
    await post(movedBody(ticket_id, 'Done', 5_000));
    await moved('RESOLVED');
    const before = (await timeline()).length;
    await post(movedBody(ticket_id, 'Done', 5_000));
    await post(movedBody(ticket_id, 'To Do', 4_000));
    await post(movedBody(ticket_id, 'In Progress', 6_000));
    await post(movedBody(ticket_id, 'Waiting', 7_000));
    const renamed = movedBody(ticket_id, 'To Do', 8_000).replace('"field":"status"', '"field":"summary"');
    await post(renamed);
    await settled();
    expect([(await timeline()).length, (await detail()).status]).toEqual([before, 'RESOLVED']);
    await post(movedBody(ticket_id, 'To Do', 9_000));
    await moved('OPEN');
    await post(movedBody(ticket_id, 'Done', 9e15));
    await settled();
    expect((await detail()).status).toBe('OPEN');
  });

  it('answers a wrong signature, an unknown integration and one without a secret alike', async () => {
    const { ticket_id } = (await link({ integration_id: integration })).body;
    const body = movedBody(ticket_id, 'Done', 1_000);
    const { hook_secret: _none, ...credentials } = jiraInput('').credentials;
    const silent = await admin.call<{ integration_id: string }>('/api/v1/integrations', { body: { ...jiraInput(jira.url), credentials } });
    expect(silent.status).toBe(201);
    const refused = await Promise.all([
      post(body, hubSignature(body, 'another secret')),
      post(body, null),
      post(body, hubSignature(body).toUpperCase()),
      post(`${body} `, hubSignature(body)),
      post(body, hubSignature(body), randomUUID()),
      post(body, hubSignature(body), '$ne'),
      post(body, hubSignature(body, 'no secret'), silent.body.integration_id),
      post(body, hubSignature(body, 'undefined'), silent.body.integration_id),
    ]);
    const { status, text } = refused[0]!;
    expect([status, text]).toEqual([401, expect.stringContaining('UNAUTHENTICATED')]);
    for (const answer of refused) expect([answer.status, answer.text]).toEqual([status, text]);
    await settled();
    expect((await detail()).status).toBe('OPEN');
    expect((await post(body)).status).toBe(202);
    await moved('RESOLVED');
  });

  it('takes at most 256 KB, and JSON alone', async () => {
    const long = JSON.stringify({ padding: 'x'.repeat(262_144) });
    expect((await post(long)).status).toBe(413);
    expect((await post('no json')).status).toBe(400);
    expect((await post('[]')).status).toBe(202);
  });

  it('of one tenant never moves a finding of another, nor one that was unlinked', async () => {
    const { ticket_id } = (await link({ integration_id: integration })).body;
    const other = await newTenant();
    const body = movedBody(ticket_id, 'Done', 1_000);
    expect((await post(body, hubSignature(body), other.integration)).status).toBe(202);
    await settled();
    expect((await detail()).status).toBe('OPEN');
    await unlink();
    expect((await post(body)).status).toBe(202);
    await settled();
    expect((await detail()).status).toBe('OPEN');
    await link({ integration_id: integration });
    await post(movedBody(ticket_id, 'Done', 2_000));
    await moved('RESOLVED');
  });

  it('of a paused integration moves nothing', async () => {
    const { ticket_id } = (await link({ integration_id: integration })).body;
    await admin.call(`/api/v1/integrations/${integration}`, { method: 'PATCH', body: { state: 'paused' } });
    await post(movedBody(ticket_id, 'Done', 1_000));
    await settled();
    expect((await detail()).status).toBe('OPEN');
  });
});

describe.each([
  ['github', startGithub, 'x-hub-signature-256'],
  ['gitlab', startGitlab, 'x-gitlab-token'],
] as const)('%s', (kind, start, header) => {
  it('makes a ticket, and moves the finding as that is closed and reopened, of its own project alone', async () => {
    const tracker = await start();
    const input = trackerInputs[kind](tracker.url);
    const { body } = await admin.call<{ integration_id: string }>('/api/v1/integrations', { body: input });
    const { body: linked } = await link({ integration_id: body.integration_id });
    const [issue] = tracker.issues;
    expect(linked).toMatchObject({ ticket_id: issue!.key, integration_id: body.integration_id });
    expect(linked.ticket_url).toContain(`${tracker.url}/${input.settings.project}/`);
    expect(JSON.stringify(issue!.fields)).toContain(`https://palisade.example${view()}`);
    const move = (state: 'closed' | 'open', second: number, project: string) => {
      const at = new Date(second * 1_000).toISOString();
      return kind === 'github'
        ? {
            action: state === 'open' ? 'reopened' : 'closed',
            issue: { number: Number(issue!.key), state, updated_at: at },
            repository: { full_name: project },
          }
        : {
            object_kind: 'issue',
            object_attributes: {
              iid: Number(issue!.key),
              state: state === 'open' ? 'opened' : state,
              action: state === 'open' ? 'reopen' : 'close',
              updated_at: at,
            },
            project: { path_with_namespace: project },
          };
    };
    const post = async (message: object, secret = input.credentials.hook_secret) => {
      const raw = JSON.stringify(message);
      const proof = kind === 'github' ? hubSignature(raw, secret) : secret;
      const headers = { 'content-type': 'application/json', [header]: proof };
      return (await world.anonymous.call(`/gateway/hooks/${kind}/${body.integration_id}`, { raw, headers })).status;
    };
    expect(await post(move('closed', 1, input.settings.project), 'another secret, as long')).toBe(401);
    expect(await post(move('closed', 9, 'acme/other'))).toBe(202);
    expect(await post(move('closed', 2, input.settings.project.toUpperCase()))).toBe(202);
    await until('resolved', async () => (await detail()).status === 'RESOLVED');
    expect((await timeline())[0]).toMatchObject({ actor_email: `integration:${input.name}`, to: 'RESOLVED' });
    expect(await post(move('open', 3, input.settings.project))).toBe(202);
    await until('open', async () => (await detail()).status === 'OPEN');
    await tracker.close();
  });
});
