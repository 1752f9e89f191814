import { integrations } from '../../subgraphs/events/integrations/records.js';
import { HOOK_SECRET, JIRA_TOKEN, jiraInput, startJira, type JiraStandIn } from '../support/jira.js';
import { startMailbox, startSlack, startWebhook, WEBHOOK_SECRET } from '../support/channels.js';
import { S3_KEY, s3Input, startS3 } from '../support/s3-stand.js';
import { startGithub, startGitlab, startServiceNow, startTeams, trackerInputs } from '../support/trackers.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { openWorld, type Answer, type Client, type TestTenant } from '../support/world.js';

// each test is many calls, and waits for workers that poll
jest.setTimeout(600_000);

interface Integration {
  integration_id: string;
  kind: string;
  name: string;
  state: string;
  settings: Record<string, unknown>;
  hook_path: string | null;
}
type Listed = { items: Integration[]; total: number };

let world: OwnWorld;
let tenant: TestTenant;
let admin: Client;
let jira: JiraStandIn;
let slack: Awaited<ReturnType<typeof startSlack>>;
let webhook: Awaited<ReturnType<typeof startWebhook>>;
let mailbox: Awaited<ReturnType<typeof startMailbox>>;
beforeAll(async () => {
  [jira, slack, webhook, mailbox] = await Promise.all([startJira(), startSlack(), startWebhook(), startMailbox()]);
  world = await openOwnWorld({ env: { OUTBOUND_ALLOW: '127.0.0.0/8', SMTP_URL: mailbox.url } });
});
afterAll(async () => {
  await world.close();
  await Promise.all([jira, slack, webhook, mailbox].map((one) => one.close()));
});
beforeEach(async () => {
  Object.assign(jira, { fails: null });
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});

const add = (body: unknown, client = admin) => client.call<Integration>('/api/v1/integrations', { body });
const change = (id: string, body: unknown, client = admin) =>
  client.call<Integration>(`/api/v1/integrations/${id}`, { method: 'PATCH', body });
const list = async () => (await admin.call<Listed>('/api/v1/integrations')).body;
const told = ({ body }: Answer<unknown>) => (body as { detail: { path: string; message: string }[] }).detail;
const slackInput = (url: string) => ({ kind: 'slack', name: 'Chat', credentials: { url } });
const webhookInput = (url: string) => ({ kind: 'webhook', name: 'Hook', settings: { url }, credentials: { secret: WEBHOOK_SECRET } });

describe('an integration is tried out before it is stored', () => {
  it('Jira Cloud: credentials, project and issue type', async () => {
    const { status, body } = await add(jiraInput(`${jira.url}/`));
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'jira', state: 'active', hook_path: `/gateway/hooks/jira/${body.integration_id}` });
    expect(body.settings).toMatchObject({ url: jira.url, project: 'SEC', issue_type: 'Bug', comment_on_resolve: true });
    for (const [more, said] of [
      [
        { credentials: { token: 'another token' } },
        'the test failed: the other side answered 401: Client must be authenticated to access this resource.',
      ],
      [{ settings: { project: 'NOPE' } }, "the test failed: the other side answered 404: No project could be found with key 'NOPE'."],
      [{ settings: { issue_type: 'Epic' } }, 'the test failed: the project SEC has no issue type Epic'],
    ] as const) {
      const refused = await add(jiraInput(jira.url, more));
      expect([refused.status, told(refused)]).toEqual([422, [{ path: 'input', message: said }]]);
    }
    expect((await list()).total).toBe(1);
  });

  it('Jira Data Center: a personal access token', async () => {
    const { username: _none, ...credentials } = jiraInput('').credentials;
    const input = { ...jiraInput(jira.url), credentials };
    expect((await add(input)).status).toBe(201);
    expect((await add({ ...input, credentials: { ...credentials, token: 'wrong token' } })).status).toBe(422);
  });

  it('Slack: a message arrives, and its own words come back when it does not', async () => {
    const before = slack.messages.length;
    expect((await add(slackInput(slack.hook))).status).toBe(201);
    expect(slack.messages.slice(before)).toEqual([{ text: expect.stringContaining('Palisade is connected') as unknown }]);
    const refused = await add(slackInput(`${slack.url}/services/gone`));
    expect(told(refused)).toEqual([{ path: 'input', message: 'the test failed: the other side answered 404: no_service' }]);
  });

  it.each([
    ['github', startGithub, true],
    ['gitlab', startGitlab, true],
    ['servicenow', startServiceNow, false],
  ] as const)('%s: the credentials and the place; they never come back', async (kind, start, isHooked) => {
    const tracker = await start();
    const input = trackerInputs[kind](tracker.url);
    const { status, body, text } = await add(input);
    expect([status, body.hook_path]).toEqual([201, isHooked ? `/gateway/hooks/${kind}/${body.integration_id}` : null]);
    const wrong = kind === 'servicenow' ? { username: 'nobody', password: 'wrong' } : { token: 'another token' };
    const refused = await add({ ...input, credentials: wrong });
    expect([refused.status, told(refused)[0]!.message]).toEqual([
      422,
      expect.stringMatching(/^the test failed: the other side answered 401: /),
    ]);
    const texts = [text, JSON.stringify(await list()), (await admin.call('/api/v1/audit-logs')).text];
    for (const secret of Object.values(input.credentials)) expect(texts.filter((one) => one.includes(secret))).toEqual([]);
    expect((await list()).total).toBe(1);
    await tracker.close();
  });

  it('Teams: a card arrives', async () => {
    const teams = await startTeams();
    const input = (url: string) => ({ kind: 'teams', name: 'Channel', credentials: { url } });
    const { status, text } = await add(input(teams.hook));
    expect([status, text.includes('secret-of-teams')]).toEqual([201, false]);
    expect(JSON.stringify(teams.cards)).toContain('Palisade is connected');
    expect(told(await add(input(teams.hook.replace('secret-of-teams', 'other'))))[0]!.message).toMatch(
      /^the test failed: the other side answered 401/,
    );
    await teams.close();
  });

  it('e-mail: a mail arrives, and a refused one is told of', async () => {
    const input = (recipients: string[]) => ({ kind: 'email', name: 'Team', settings: { recipients } });
    const before = mailbox.mails.length;
    expect((await add(input(['team@example.com', 'lead@example.com']))).status).toBe(201);
    expect(mailbox.mails.slice(before).map(({ to }) => to)).toEqual([['team@example.com', 'lead@example.com']]);
    expect(told(await add(input(['refused@example.com'])))[0]!.message).toBe('the test failed: the mail server answered 550');
    expect((await add(input(['a@example.com\r\nBcc: b@example.com']))).status).toBe(422);
  });

  it('webhook: a signed ping arrives, and another secret is refused', async () => {
    expect((await add(webhookInput(webhook.url))).status).toBe(201);
    expect(webhook.messages.at(-1)).toMatchObject({ type: 'ping' });
    const other = { secret: `whsec_${Buffer.alloc(32, 9).toString('base64')}` };
    const refused = await add({ ...webhookInput(webhook.url), credentials: other });
    expect(told(refused)[0]!.message).toBe('the test failed: the other side answered 401');
  });

  it('S3: a signed file is put; the key never comes back, and what the service refuses is told', async () => {
    const s3 = await startS3('findings');
    const { status, body, text } = await add(s3Input(s3.url));
    expect([status, body.settings, text.includes(S3_KEY.secret_access_key)]).toEqual([
      201,
      expect.objectContaining(s3Input(s3.url).settings),
      false,
    ]);
    expect([...s3.files.keys()]).toEqual(['palisade/acme/palisade-is-connected.json']);
    expect(JSON.parse([...s3.files.values()][0]!)).toMatchObject({ type: 'ping', data: { integration_id: body.integration_id } });
    for (const [more, said] of [
      [
        { credentials: { secret_access_key: 'another secret' } },
        'the test failed: the object storage answered 403 (SignatureDoesNotMatch)',
      ],
      [{ settings: { bucket: 'another' } }, 'the test failed: the object storage answered 404 (NoSuchBucket)'],
    ] as const)
      expect(told(await add(s3Input(s3.url, more)))[0]!.message).toBe(said);
    for (const settings of [{ prefix: '../up' }, { bucket: 'Not a name' }, { region: 'x/y' }, { url: `${s3.url}/?list` }])
      expect((await add(s3Input(s3.url, { settings }))).status).toBe(422);
    // another address, and the same key
    const moved = await change(body.integration_id, { settings: { url: 'https://s3.example.com' } });
    expect([moved.status, told(moved)[0]!.path]).toEqual([422, 'credentials']);
    expect((await change(body.integration_id, { settings: { prefix: 'moved' } })).status).toBe(200);
    expect([...s3.files.keys()].at(-1)).toBe('moved/palisade-is-connected.json');
    await s3.close();
  });

  it('a target that nobody answers at is refused, and nothing is stored', async () => {
    const refused = await add(webhookInput('http://127.0.0.1:9/'));
    expect([refused.status, told(refused)[0]!.message]).toEqual([422, 'the test failed: the other side cannot be reached']);
    expect(await list()).toMatchObject({ total: 0 });
  });
});

it('unknown kinds, and settings or credentials of another kind, are 422', async () => {
  for (const body of [
    { kind: 'pagerduty', name: 'x' },
    { ...slackInput(slack.hook), settings: { project: 'SEC' } },
    { ...webhookInput(webhook.url), credentials: { token: 'a token', secret: WEBHOOK_SECRET } },
    { ...webhookInput(webhook.url), credentials: { secret: 'whsec_c2hvcnQ=' } },
    jiraInput(jira.url, { credentials: { hook_secret: 'short' } }),
    jiraInput('ftp://jira.example.com'),
  ])
    expect((await add(body)).status).toBe(422);
  expect((await add(slackInput(slack.hook))).status).toBe(201);
});

it('private targets are refused where the operator allows none, before anything is sent', async () => {
  const shared = await openWorld();
  const other = await (await shared.tenant()).as('tenant_admin');
  const calls = webhook.tries.length;
  for (const [body, path] of [
    [webhookInput(webhook.url), 'settings.url'],
    [webhookInput('https://127.0.0.1/'), 'settings.url'],
    [webhookInput('https://169.254.169.254/latest'), 'settings.url'],
    [slackInput('https://10.0.0.1/services/x'), 'credentials.url'],
    [s3Input('https://127.0.0.1'), 'settings.url'],
    [jiraInput('https://192.168.1.1'), 'settings.url'],
  ] as const) {
    const refused = await add(body, other);
    expect([refused.status, told(refused)[0]!.path]).toEqual([422, path]);
  }
  expect(webhook.tries.length).toBe(calls);
  await shared.close();
});

it('credentials are sealed in the store and never come back, neither from the API nor in the audit log', async () => {
  const answers = [await add(jiraInput(jira.url)), await add(slackInput(slack.hook)), await add(webhookInput(webhook.url))];
  const id = answers[0]!.body.integration_id;
  answers.push((await change(id, { credentials: jiraInput('').credentials })) as (typeof answers)[number]);
  const rows = await world.database.tenant(tenant.tenant._id).collection(integrations).find({});
  expect(rows).toHaveLength(3);
  const texts = [
    ...answers.map(({ text }) => text),
    JSON.stringify(rows),
    (await admin.call('/api/v1/audit-logs')).text,
    JSON.stringify(await list()),
  ];
  for (const secret of [JIRA_TOKEN, HOOK_SECRET, WEBHOOK_SECRET, '/services/T000', 'robot@example.com'])
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 200]);
});

describe('a change', () => {
  it('of name, state and mappings keeps the credentials, and is tried out when it matters', async () => {
    const { integration_id: id } = (await add(jiraInput(jira.url))).body;
    const status_mapping = [{ ticket_status: 'Closed', finding_status: 'RESOLVED' }];
    const changed = await change(id, { name: 'Board', state: 'paused', settings: { status_mapping } });
    expect(changed.body).toMatchObject({ name: 'Board', state: 'paused', settings: { project: 'SEC', status_mapping } });
    expect((await change(id, { settings: { project: 'NOPE' } })).status).toBe(422);
    jira.fails = 500;
    expect((await change(id, { state: 'active' })).body).toMatchObject({ state: 'active', settings: { project: 'SEC' } });
    expect((await change(id, { settings: { issue_type: 'Task' } })).status).toBe(422);
    jira.fails = null;
    expect((await change(id, { settings: { issue_type: 'Task' } })).body.settings).toMatchObject({ issue_type: 'Task', status_mapping });
  });

  it('of the address needs the credentials again, so that a stored token goes nowhere else', async () => {
    const thief = await startJira();
    const { integration_id: id } = (await add(jiraInput(jira.url))).body;
    expect(told(await change(id, { settings: { url: thief.url } }))[0]!.path).toBe('credentials');
    expect(thief.calls).toEqual([]);
    const { settings, credentials } = jiraInput(thief.url);
    expect((await change(id, { settings: { url: settings.url }, credentials })).status).toBe(200);
    await thief.close();
  });

  it('and the rest are audited with the names of what changed', async () => {
    const { integration_id: id } = (await add(slackInput(slack.hook))).body;
    await change(id, { name: 'Other', credentials: { url: slack.hook } });
    expect((await admin.call(`/api/v1/integrations/${id}`, { method: 'DELETE' })).status).toBe(204);
    const { items } = (await admin.call<{ items: Record<string, unknown>[] }>('/api/v1/audit-logs')).body;
    expect(items.slice(0, 3).map(({ action, target, detail }) => [action, target, detail])).toEqual([
      ['integration.delete', `integration:${id}`, { kind: 'slack', name: 'Other' }],
      ['integration.update', `integration:${id}`, { kind: 'slack', name: 'Other', fields: ['name', 'credentials'] }],
      ['integration.create', `integration:${id}`, { kind: 'slack', name: 'Chat' }],
    ]);
  });
});

it('an integration that a notification rule sends to cannot be removed', async () => {
  const { integration_id } = (await add(slackInput(slack.hook))).body;
  const rule = { name: 'Rule', event: 'new', integration_id };
  expect((await admin.call('/api/v1/notification-rules/one', { method: 'PUT', body: rule })).status).toBe(200);
  const refused = await admin.call<{ detail: unknown }>(`/api/v1/integrations/${integration_id}`, { method: 'DELETE' });
  expect([refused.status, refused.body.detail]).toEqual([409, { notification_rules: ['one'] }]);
  expect((await admin.call('/api/v1/notification-rules/one', { method: 'DELETE' })).status).toBe(204);
  expect((await admin.call(`/api/v1/integrations/${integration_id}`, { method: 'DELETE' })).status).toBe(204);
});
