import { tellOverdue } from '../../subgraphs/events/notifications/overdue.js';
import { notifications } from '../../subgraphs/events/notifications/records.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { startMailbox, startSlack, startWebhook, WEBHOOK_SECRET } from '../support/channels.js';
import { jiraInput, startJira, type JiraStandIn } from '../support/jira.js';
import { openReceiver } from '../support/receiver.js';
import { bucket, ocsf, type PostureRecord } from '../support/reports.js';
import { until } from '../support/stand-in.js';
import { s3Input, startS3 } from '../support/s3-stand.js';
import { startTeams } from '../support/trackers.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { type Client, type TestTenant } from '../support/world.js';
import { handOut, servicesOf } from './hand-out.js';

// each test is many calls, and waits for workers that poll
jest.setTimeout(600_000);

interface Rule {
  id: string;
  name: string;
  event: string;
  filter: Record<string, string[]>;
  recipients: string[];
  enabled: boolean;
  created_by: string;
  created_at: string;
  last_delivery: { state: string; findings: number; attempts: number; error: string | null } | null;
  matches: { total: number; total_is_exact: boolean; items: { severity: string; title: string; engine: string }[] } | null;
}

let world: OwnWorld;
let services: EngineServices;
let tenant: TestTenant;
let admin: Client;
let jira: JiraStandIn;
let slack: Awaited<ReturnType<typeof startSlack>>;
let webhook: Awaited<ReturnType<typeof startWebhook>>;
let mailbox: Awaited<ReturnType<typeof startMailbox>>;
beforeAll(async () => {
  [jira, slack, webhook, mailbox] = await Promise.all([startJira(), startSlack(), startWebhook(), startMailbox()]);
  const env = { OUTBOUND_ALLOW: '127.0.0.0/8', SMTP_URL: mailbox.url, NOTIFY_AFTER_SECONDS: '1', PUBLIC_URL: 'https://palisade.example' };
  world = await openOwnWorld({ env });
  services = servicesOf(world, env);
});
afterAll(async () => {
  await world.close();
  services.mailer.close();
  await services.outbound.close();
  await Promise.all([jira, slack, webhook, mailbox].map((one) => one.close()));
});
beforeEach(async () => {
  Object.assign(slack, { fails: false });
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});

let runs = 0;
const report = (records: readonly PostureRecord[]) => admin.import(ocsf(records), { scan_run_id: `run-${++runs}` });
const found = (count: number, more: Partial<PostureRecord> = {}): PostureRecord[] =>
  Array.from({ length: count }, (_, n) => ({ rule: `rule_${n}`, resource: bucket(`b${n}`), ...more }));
const put = (id: string, body: object) => admin.call<Rule>(`/api/v1/notification-rules/${id}`, { method: 'PUT', body });
const ruleOf = async (id: string) =>
  (await admin.call<{ items: Rule[] }>('/api/v1/notification-rules')).body.items.find((rule) => rule.id === id)!;
const delivered = (id: string, state = 'sent') =>
  until(`${state} of ${id}`, async () => {
    const { last_delivery } = await ruleOf(id);
    return last_delivery?.state === state && last_delivery;
  });
const tell = () => handOut(services, tenant.tenant._id);
const stored = () =>
  world.database
    .tenant(tenant.tenant._id)
    .collection(notifications)
    .find({}, { sort: { created_at: 1 } });
const integrate = async (body: object) =>
  (await admin.call<{ integration_id: string }>('/api/v1/integrations', { body })).body.integration_id;
const mailTo = { name: 'Mail', event: 'new', recipients: ['team@example.com'] };

/** Changes the newest message of the tenant in the store. */
async function changeLast(change: object): Promise<void> {
  const last = (await stored()).at(-1)!;
  await world.database.tenant(tenant.tenant._id).collection(notifications).update({ _id: last._id }, { $set: change });
}

/** A rule that has sent one message, and gathers for another hour. @returns what it gathers */
async function throttled(id: string, recipients = mailTo.recipients) {
  await put(id, { ...mailTo, recipients, throttle_minutes: 60 });
  await report(found(1));
  await tell();
  await delivered(id);
  await report(found(20));
  await tell();
  const [, second] = await stored();
  expect([second!.state, second!.total]).toEqual(['gathering', 19]);
  return second!;
}

describe('a rule', () => {
  it('is made under the id of the client, replaced under the same, listed and deleted', async () => {
    const { status, body } = await put('first.rule:1', { ...mailTo, filter: { severity: ['critical', 'high'], engine: ['check'] } });
    expect([status, body]).toMatchObject([
      200,
      {
        id: 'first.rule:1',
        enabled: true,
        filter: { severity: ['critical', 'high'], engine: ['check'], provider: [] },
        last_delivery: null,
        matches: null,
      },
    ]);
    const replaced = await put('first.rule:1', { ...mailTo, name: 'Another', event: 'overdue', enabled: false });
    expect(replaced.body).toMatchObject({ name: 'Another', event: 'overdue', enabled: false, filter: { severity: [] } });
    expect(replaced.body.created_at).toBe(body.created_at);
    const list = await admin.call<{ items: Rule[]; total: number }>('/api/v1/notification-rules');
    expect(list.body).toMatchObject({ total: 1, items: [{ id: 'first.rule:1', name: 'Another' }] });
    expect((await admin.call('/api/v1/notification-rules/first.rule:1', { method: 'DELETE' })).status).toBe(204);
    expect((await admin.call('/api/v1/notification-rules/first.rule:1', { method: 'DELETE' })).status).toBe(404);
    const audit = await admin.call<{ items: { action: string; target: string }[] }>('/api/v1/audit-logs');
    expect(audit.body.items.slice(0, 3).map(({ action, target }) => `${action} ${target}`)).toEqual([
      'notification_rule.delete notification_rule:first.rule:1',
      'notification_rule.set notification_rule:first.rule:1',
      'notification_rule.set notification_rule:first.rule:1',
    ]);
  });

  it('of the same id in two tenants is two rules', async () => {
    await put('same', mailTo);
    const other = await (await world.tenant()).as('tenant_admin');
    expect((await other.call('/api/v1/notification-rules/same', { method: 'DELETE' })).status).toBe(404);
    await other.call('/api/v1/notification-rules/same', { method: 'PUT', body: { ...mailTo, name: 'Theirs' } });
    expect((await ruleOf('same')).name).toBe('Mail');
  });

  it.each([
    ['a space in the id', 'a%20b', mailTo],
    ['neither integration nor recipients', 'r', { name: 'x', event: 'new' }],
    ['an unknown event', 'r', { ...mailTo, event: 'closed' }],
    ['an unknown engine', 'r', { ...mailTo, filter: { engine: ['nothing'] } }],
    ['a header in an address', 'r', { ...mailTo, recipients: ['a@example.com\r\nBcc: b@example.com'] }],
    ['a throttle of a week', 'r', { ...mailTo, throttle_minutes: 10_080 }],
    ['an unknown field', 'r', { ...mailTo, filter: { title: ['x'] } }],
  ])('with %s is a 422', async (_what, id, body) => {
    expect((await put(id, body)).status).toBe(422);
    expect((await put('r', mailTo)).status).toBe(200);
  });

  it('run dry stores nothing and answers what matches now', async () => {
    await report([
      ...found(12, { severity: 'High' }),
      { rule: 'worst', resource: bucket('w'), severity: 'Critical' },
      { rule: 'low', resource: bucket('l'), severity: 'Low' },
    ]);
    const dry = await put('dry', { ...mailTo, filter: { severity: ['critical', 'high'] }, dry_run: true });
    expect(dry.body.matches).toMatchObject({ total: 13, total_is_exact: true });
    expect(dry.body.matches!.items).toHaveLength(10);
    expect(dry.body.matches!.items[0]).toMatchObject({ severity: 'critical', engine: 'check', title: 'Title of worst' });
    const none = async (event: string) => (await put('dry', { ...mailTo, event, dry_run: true })).body.matches;
    expect([await none('regressed'), await none('overdue')]).toMatchObject([{ total: 0 }, { total: 0 }]);
    expect(await ruleOf('dry')).toBeUndefined();
  });
});

describe('new findings', () => {
  it('become one mail of a rule, with the worst twenty and the number of the rest', async () => {
    await put('mail', mailTo);
    await put('criticals', { ...mailTo, name: 'Criticals', recipients: ['lead@example.com'], filter: { severity: ['critical'] } });
    await put('nothing', { ...mailTo, recipients: ['nobody@example.com'], filter: { account_id: ['another'] } });
    const before = mailbox.mails.length;
    await report([
      ...found(24),
      { rule: 'worst', resource: bucket('w'), severity: 'Critical', title: 'Worst\r\nBcc: x@example.com\r\n\r\n<b>' },
    ]);
    await tell();
    expect(await delivered('mail')).toMatchObject({ findings: 25, attempts: 1, error: null });
    expect(await delivered('criticals')).toMatchObject({ findings: 1 });
    const mails = mailbox.mails.slice(before);
    expect(mails.map(({ to }) => to.join()).sort()).toEqual(['lead@example.com', 'team@example.com']);
    const text = mails.find(({ to }) => to[0] === 'team@example.com')!.text.replace(/=\r\n/g, '');
    expect(text).toMatch(/^Subject: Palisade: 25 new findings \(1 critical, 24 high\)\r$/m);
    expect(text.match(/\[high\]/g)).toHaveLength(19);
    expect(text).toContain('[critical] Worst Bcc: x@example.com <b>');
    expect(text).not.toMatch(/^Bcc/m);
    expect(text).toContain('and 5 more');
    expect(await ruleOf('nothing')).toMatchObject({ last_delivery: null });
  });

  it('of many batches are one message, and those of a throttled rule wait for as long as it says', async () => {
    const second = await throttled('slow');
    await report(found(40).slice(20));
    await tell();
    const [first, later] = await stored();
    expect([later!.state, later!.total, later!.findings.length]).toEqual(['gathering', second.total + 20, 20]);
    expect(later!.first_due_at.getTime() - first!.first_due_at.getTime()).toBe(3_600_000);
  });

  it('that come back are told by rules for regressed findings, not for new ones', async () => {
    await put('back', { ...mailTo, event: 'regressed', recipients: ['back@example.com'] });
    await report(found(2));
    await report(found(1));
    await tell();
    expect(await stored()).toEqual([]);
    // one comes back, and one is new, in the same run
    await report(found(3));
    await tell();
    expect(await delivered('back')).toMatchObject({ findings: 1 });
    expect((await put('dry', { ...mailTo, event: 'regressed', dry_run: true })).body.matches).toMatchObject({ total: 1 });
  });

  it('of one kind of event are one message, though the rule was replaced while it gathered', async () => {
    await throttled('kinds');
    await put('kinds', { ...mailTo, event: 'regressed', throttle_minutes: 60 });
    await report(found(1));
    await report(found(20));
    await tell();
    expect((await stored()).map(({ event, total }) => [event, total])).toEqual([
      ['new', 1],
      ['new', 19],
      ['regressed', 19],
    ]);
  });

  it('are told to nobody by a rule that is switched off, before or after they came', async () => {
    await put('off', { ...mailTo, enabled: false });
    await throttled('late');
    await put('late', { ...mailTo, enabled: false });
    await changeLast({ due_at: new Date() });
    expect(await delivered('late', 'skipped')).toMatchObject({ error: 'the rule is gone or switched off' });
    expect(new Set((await stored()).map(({ rule_id }) => rule_id))).toEqual(new Set(['late']));
  });

  it('of another tenant are never told', async () => {
    await put('own', mailTo);
    const other = await world.tenant();
    await (await other.as('tenant_admin')).import(ocsf(found(2)), { scan_run_id: 'theirs' });
    await handOut(services, other.tenant._id);
    await tell();
    expect(await stored()).toEqual([]);
    expect(await world.database.tenant(other.tenant._id).collection(notifications).count({})).toBe(0);
  });
});

describe('the channel', () => {
  it('Slack gets blocks in which nothing of a scanner is markup', async () => {
    const integration_id = await integrate({ kind: 'slack', name: 'Chat', credentials: { url: slack.hook } });
    await put('chat', { name: 'A <!channel> & rule', event: 'new', integration_id });
    const before = slack.messages.length;
    await report([
      ...found(12),
      ...Array.from({ length: 18 }, (_, n) => ({ rule: `marks_${n}`, resource: bucket(`m${n}`), title: `${n}${'&<>'.repeat(60)}` })),
      { rule: 'worst', resource: bucket('w'), severity: 'Critical', title: '<!channel> & <https://evil.example|click>' },
    ]);
    await tell();
    await delivered('chat');
    const messages = slack.messages.slice(before);
    expect(messages).toHaveLength(1);
    const text = JSON.stringify(messages[0]);
    expect(text).toContain('&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;');
    expect(text).not.toMatch(/<!channel|<https:\/\/evil/);
    expect(text).toMatch(/<https:\/\/palisade\.example\/api\/v1\/views\/finding\/check\/[0-9a-f]{32}\|/);
    expect(text).toContain('and 11 more');
    // else Slack makes links and mentions of plain addresses and names
    expect(text.match(/"type":"mrkdwn"/g)).toHaveLength(text.match(/"verbatim":true/g)!.length);
  });

  it('Teams gets a card', async () => {
    const teams = await startTeams();
    const integration_id = await integrate({ kind: 'teams', name: 'Channel', credentials: { url: teams.hook } });
    await put('teams', { name: 'Teams', event: 'new', integration_id });
    await report(found(2));
    await tell();
    await delivered('teams');
    const texts = teams.cards.at(-1)!.attachments[0]!.content.body.flatMap(({ inlines }) => inlines.map(({ text }) => text));
    expect(texts[0]).toBe('2 new findings');
    expect(texts).toContain('Title of rule_0\n');
    await teams.close();
  });

  it('a bucket gets a file a message, tried again under the same name until it takes it', async () => {
    const s3 = await startS3('findings');
    const integration_id = await integrate(s3Input(s3.url));
    await put('bucket', { name: 'Bucket', event: 'new', integration_id });
    s3.fails = 503;
    await report(found(2));
    await tell();
    expect(await delivered('bucket', 'waiting')).toMatchObject({
      attempts: 1,
      error: 'the object storage answered 503 (ServiceUnavailable)',
    });
    s3.fails = null;
    await delivered('bucket');
    const [, [name, text] = []] = [...s3.files];
    expect(name).toMatch(/^palisade\/acme\/msg_[\w-]+\.json$/);
    expect(JSON.parse(text!)).toMatchObject({ type: 'notification', data: { rule: { id: 'bucket' }, event: 'new', total: 2 } });
    expect(s3.files.size).toBe(2);
    await s3.close();
  });

  it('a webhook gets a signed message, tried again with the same id until it takes it', async () => {
    const integration_id = await integrate({
      kind: 'webhook',
      name: 'Hook',
      settings: { url: webhook.url },
      credentials: { secret: WEBHOOK_SECRET },
    });
    await put('hook', { name: 'Hook', event: 'new', integration_id });
    webhook.fails = 1;
    const before = webhook.tries.length;
    await report(found(1));
    await tell();
    expect(await delivered('hook', 'waiting')).toMatchObject({ attempts: 1, error: 'the other side answered 503' });
    expect(await delivered('hook')).toMatchObject({ attempts: 2, error: null });
    const tries = webhook.tries.slice(before);
    expect([tries.length, new Set(tries).size]).toEqual([2, 1]);
    expect(webhook.messages.at(-1)).toMatchObject({
      id: tries[0],
      type: 'notification',
      data: {
        event: 'new',
        total: 1,
        by_severity: { high: 1 },
        rule: { id: 'hook' },
        findings: [{ title: 'Title of rule_0', engine: 'check' }],
      },
    });
  });

  it('that is silent holds up no message of another tenant', async () => {
    const silent = await openReceiver((_message, n) => (n === 1 ? 200 : null));
    const settings = { url: silent.url };
    const integration_id = await integrate({ kind: 'webhook', name: 'Silent', settings, credentials: { secret: WEBHOOK_SECRET } });
    for (let n = 0; n < 20; n++) await put(`silent-${n}`, { name: 'Silent', event: 'new', integration_id });
    await report(found(1));
    await tell();
    await silent.until(2);
    tenant = await world.tenant();
    admin = await tenant.as('tenant_admin');
    await put('own', mailTo);
    await report(found(1));
    await tell();
    await delivered('own');
    // of the twenty for the silent one most have not been tried yet
    expect(silent.received.length).toBeLessThan(10);
    await silent.close();
  });

  it('gets what a worker left behind when it ended in the middle', async () => {
    await throttled('left', ['left@example.com']);
    await changeLast({ state: 'sending', due_at: new Date(Date.now() - 1_000), attempts: 1 });
    await until('a second try', async () => (await stored())[1]!.state === 'sent');
    expect((await stored())[1]).toMatchObject({ attempts: 2, error: null });
    expect(mailbox.mails.filter(({ to }) => to[0] === 'left@example.com')).toHaveLength(2);
  });

  it('that refuses a message for good ends it, with the reason', async () => {
    const integration_id = await integrate({ kind: 'slack', name: 'Chat', credentials: { url: slack.hook } });
    await put('gone', { name: 'Gone', event: 'new', recipients: ['refused@example.com'] });
    await put('paused', { name: 'Paused', event: 'new', integration_id });
    await admin.call(`/api/v1/integrations/${integration_id}`, { method: 'PATCH', body: { state: 'paused' } });
    await report(found(1));
    await tell();
    expect(await delivered('gone', 'failed')).toMatchObject({ attempts: 1, error: 'the mail server answered 550' });
    expect(await delivered('paused', 'skipped')).toMatchObject({ error: 'the integration is paused' });
  });

  it('Jira gets a ticket for each of the worst twenty, and one for the rest; findings with a ticket keep theirs', async () => {
    const integration_id = await integrate(jiraInput(jira.url));
    await put('track', { name: 'Track', event: 'new', integration_id });
    const before = jira.issues.size;
    await report(found(23));
    const { items } = (await admin.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings')).body;
    await tell();
    expect(await delivered('track')).toMatchObject({ findings: 23 });
    const issues = [...jira.issues.values()].slice(before);
    expect(issues).toHaveLength(21);
    expect(issues.at(-1)!.fields.summary).toBe('Palisade: 23 new findings, and 3 more without a ticket of their own');
    const tickets: (string | null)[] = [];
    for (const { finding_id } of items) {
      const { status, text, body } = await admin.call<{ finding: { ticketId: string | null } }>(
        `/api/v1/views/finding/check/${finding_id}`,
      );
      expect([status, text]).toEqual([200, expect.any(String)]);
      tickets.push(body.finding.ticketId);
    }
    expect(tickets.filter((key) => key !== null).sort()).toEqual(
      issues
        .slice(0, -1)
        .map(({ key }) => key)
        .sort(),
    );
    await changeLast({ state: 'waiting', due_at: new Date() });
    await until('a second try', async () => (await stored())[0]!.attempts === 2 && (await stored())[0]!.state === 'sent');
    expect(jira.issues.size).toBe(before + 21);
  });

  it('Jira is told when a finding of a ticket is resolved', async () => {
    const integration_id = await integrate(jiraInput(jira.url));
    await report(found(1));
    const { items } = (await admin.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings')).body;
    const path = `/api/v1/views/finding/check/${items[0]!.finding_id}`;
    const { ticket_id } = (await admin.call<{ ticket_id: string }>(`${path}/ticket`, { method: 'PUT', body: { integration_id } })).body;
    await tell();
    expect(jira.issues.get(ticket_id)!.comments).toEqual([]);
    await admin.call(`${path}/status`, { method: 'PATCH', body: { status: 'RESOLVED' } });
    await tell();
    await until('a comment', () => jira.issues.get(ticket_id)!.comments.length === 1);
    expect(JSON.stringify(jira.issues.get(ticket_id)!.comments)).toContain('the finding behind this ticket is resolved');
  });
});

describe('overdue findings', () => {
  const DAY = 86_400_000;
  const later = (days: number): EngineServices => ({ ...services, clock: { now: () => new Date(Date.now() + days * DAY) } });
  const look = (days: number) => tellOverdue(later(days), new AbortController().signal);

  it('are told once a rule, when the window of their severity has passed', async () => {
    await put('late', { ...mailTo, event: 'overdue' });
    await report(
      ['Critical', 'High', 'Medium', 'Low', 'Informational'].map((severity, n) => ({ rule: `r${n}`, resource: bucket(`o${n}`), severity })),
    );
    const told = async () => (await stored()).flatMap(({ findings }) => findings.map(({ severity }) => severity)).sort();
    await look(6.9);
    expect(await told()).toEqual([]);
    await look(7.1);
    await look(7.2);
    expect(await told()).toEqual(['critical']);
    await look(31);
    expect(await told()).toEqual(['critical', 'high']);
    await look(3_650);
    await look(3_650);
    expect(await told()).toEqual(['critical', 'high', 'medium']);
  });

  it('are those that still ask for something to be done and that the filter takes', async () => {
    await put('late', { ...mailTo, event: 'overdue', filter: { rule_id: ['rule_0', 'rule_1'] } });
    await report(found(3));
    const { items } = (await admin.call<{ items: { finding_id: string; rule_id: string }[] }>('/api/v1/check/findings')).body;
    const { finding_id } = items.find(({ rule_id }) => rule_id === 'rule_1')!;
    await admin.call(`/api/v1/views/finding/check/${finding_id}/status`, { method: 'PATCH', body: { status: 'SUPPRESSED' } });
    await look(100);
    expect((await stored()).map(({ total, findings }) => [total, findings[0]!.rule_id])).toEqual([[1, 'rule_0']]);
  });
});
