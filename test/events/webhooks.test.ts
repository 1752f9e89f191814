import { Webhook } from 'standardwebhooks';
import { AUDIT_ACTIONS } from '../../kit/audit/entry.js';
import { eventually, openReceiver, type Receiver, type Reply } from '../support/receiver.js';
import { bucket, ocsf } from '../support/reports.js';
import { change, createHook, findHook, ledger, redeliver, rename } from '../support/webhooks.js';
import { openServers, type Client, type ServersWorld } from '../support/world.js';

// What a tenant sees of webhooks: events, payloads, signatures, the ledger. The server may call loopback.
let world: ServersWorld;
let admin: Client;
const receivers: Receiver[] = [];
const receiver = async (reply?: (n: number) => Reply) => {
  const one = await openReceiver((_, n) => (reply ? reply(n) : 204));
  receivers.push(one);
  return one;
};
beforeAll(async () => {
  world = await openServers('pair');
});
beforeEach(async () => {
  admin = await (await world.tenant()).as('tenant_admin');
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((one) => one.close()));
});
afterAll(() => world.close());

const report = (buckets: number[], more: object = {}) =>
  ocsf(buckets.map((n) => ({ rule: 'a.rule', resource: bucket(`b-${n}`), ...more })));

describe('a webhook', () => {
  it('is told what happens, signed as Standard Webhooks says', async () => {
    const endpoint = await receiver();
    const hook = await createHook(admin, `${endpoint.url}/hook?x=1`, { events: ['tenant.update'], description: 'ours' });
    expect(hook).toMatchObject({ state: 'active', description: 'ours', health: { status: 'unknown', pending: 0, dead: 0 } });
    await rename(admin, 'Another name');
    const [message] = await endpoint.until(1);
    expect(message!.path).toBe('/hook?x=1');
    expect(message!.headers['content-type']).toBe('application/json');
    const headers = message!.headers as Record<string, string>;
    const body = new Webhook(hook.secret).verify(message!.body, headers) as Record<string, unknown>;
    const { tenant_id } = (await admin.call<{ tenant_id: string }>('/api/v1/users/me')).body;
    expect(body).toEqual({
      type: 'tenant.update',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      tenant_id,
      data: expect.objectContaining({ actor_email: admin.user!.email, target: `tenant:${tenant_id}`, result: 'success' }) as object,
    });
    expect(() => new Webhook('whsec_' + Buffer.alloc(32).toString('base64')).verify(message!.body, headers)).toThrow();
    const [delivery] = await eventually(
      () => ledger(admin, hook),
      ([first]) => first?.state === 'sent',
    );
    expect(delivery).toMatchObject({
      delivery_id: headers['webhook-id'],
      event: 'tenant.update',
      payload: body,
      attempts: [{ status: 204, error: null }],
      next_attempt_at: null,
    });
    const healthy = await eventually(
      () => findHook(admin, hook),
      ({ health }) => health.status === 'healthy',
    );
    expect(healthy.health).toMatchObject({ pending: 0, dead: 0, consecutive_failures: 0, last_error: null });
  });

  it('is told of both identities where somebody acted for another', async () => {
    const endpoint = await receiver();
    await createHook(admin, endpoint.url, { events: ['scan.trigger'] });
    const { tenant_id } = (await admin.call<{ tenant_id: string }>('/api/v1/users/me')).body;
    const who = { support: { access_id: 'sup_1', staff: 'staff@operator.example', approved_by: 'a@b.example' }, api_key_id: 'key_1' };
    await world.database.transaction((transaction) =>
      world.auth.parts.audit.append(transaction, tenant_id, new Date(Date.now() + 1_000), [
        { action: 'scan.trigger', actor_email: 'staff@operator.example', result: 'success', ...who },
      ]),
    );
    const [message] = await endpoint.until(1);
    expect((JSON.parse(message!.body) as { data: unknown }).data).toMatchObject(who);
  });

  it('gets the kinds of events that it asked for, once each, and nothing from before it was made', async () => {
    const [endpoint, all] = [await receiver(), await receiver()];
    await rename(admin, 'before');
    await createHook(admin, endpoint.url, { events: ['finding.open', 'finding.suppress'] });
    await createHook(admin, all.url);
    await admin.import(report([1, 2, 3]));
    const { body } = await admin.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings');
    const { finding_id } = body.items[0]!;
    const path = `/api/v1/views/finding/check/${finding_id}/status`;
    for (const status of ['IN_PROGRESS', 'SUPPRESSED']) await admin.call(path, { method: 'PATCH', body: { status, note: 'why not' } });
    await endpoint.until(4);
    const bodies = endpoint.received.map(({ body: text }) => JSON.parse(text) as { type: string; data: Record<string, unknown> });
    expect(bodies.map(({ type }) => type).sort()).toEqual(['finding.open', 'finding.open', 'finding.open', 'finding.suppress']);
    expect(bodies.find(({ type }) => type === 'finding.suppress')!.data).toMatchObject({
      finding_id,
      engine: 'check',
      severity: expect.any(String) as string,
      status: 'SUPPRESSED',
      previous_status: 'IN_PROGRESS',
      note: 'why not',
      title: expect.any(String) as string,
      rule_id: 'a.rule',
      provider: 'aws',
      account_id: expect.any(String) as string,
      region: expect.any(String) as string,
      resource_uid: expect.stringContaining('arn:aws:s3') as string,
      actor_email: admin.user!.email,
    });
    await eventually(
      async () => all.received.map(({ body: text }) => (JSON.parse(text) as { type: string }).type),
      (types) => types.includes('finding.suppress') && types.filter((type) => type === 'finding.open').length === 3,
    );
    const told = all.received.map(({ body: text }) => JSON.parse(text) as { type: string; data: { seq: number } });
    expect(new Set(told.map(({ data }) => data.seq)).size).toBe(told.length);
    expect(told.map(({ type }) => type)).not.toContain('tenant.update');
    // every entry of the audit log since then, the making of the webhook itself included
    const { body: log } = await admin.call<{ items: { seq: number }[] }>('/api/v1/audit-logs?page_size=200');
    const first = Math.min(...told.map(({ data }) => data.seq));
    expect(told.map(({ data }) => data.seq).sort((a, b) => a - b)).toEqual(
      log.items
        .map(({ seq }) => seq)
        .filter((seq) => seq >= first)
        .sort((a, b) => a - b),
    );
  });

  it('gets only the findings that pass its filter, and every other event', async () => {
    const endpoint = await receiver();
    const hook = await createHook(admin, endpoint.url, {
      events: ['finding.open', 'tenant.update'],
      filter: { severity: ['critical', 'high'], engine: ['check'], account_id: ['111111111111'] },
    });
    expect(hook.filter).toEqual({ severity: ['critical', 'high'], engine: ['check'], account_id: ['111111111111'], provider: null });
    await admin.import(
      ocsf([
        { rule: 'r', resource: bucket('yes'), severity: 'Critical', account: '111111111111' },
        { rule: 'r', resource: bucket('mild'), severity: 'Low', account: '111111111111' },
        { rule: 'r', resource: bucket('elsewhere'), severity: 'Critical', account: '222222222222' },
      ]),
    );
    await rename(admin, 'last');
    await endpoint.until(2);
    await eventually(
      () => ledger(admin, hook),
      (rows) => rows.length === 2,
    );
    expect(
      endpoint.received.map(({ body }) => JSON.parse(body) as { data: { resource_uid?: string } }).map(({ data }) => data.resource_uid),
    ).toEqual(expect.arrayContaining([bucket('yes'), undefined]) as unknown[]);
    const narrowed = await change(admin, hook, { filter: { provider: ['azure'] } });
    expect(narrowed.body.filter).toEqual({ provider: ['azure'], severity: null, engine: null, account_id: null });
    expect((await change(admin, hook, { filter: null })).body.filter).toEqual({
      provider: null,
      severity: null,
      engine: null,
      account_id: null,
    });
  });

  it('is told of what scan runs resolve and reopen', async () => {
    const endpoint = await receiver();
    await createHook(admin, endpoint.url, { events: ['finding.open', 'finding.resolve', 'finding.regress'] });
    const scope = { account: '333333333333' };
    await admin.import(report([1, 2], scope));
    await admin.import(report([1], scope));
    await admin.import(report([1, 2], scope));
    await endpoint.until(4);
    const types = endpoint.received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    expect(types.sort()).toEqual(['finding.open', 'finding.open', 'finding.regress', 'finding.resolve']);
  });

  it('shows its secret once, and rotates it with an overlap of a day', async () => {
    const endpoint = await receiver();
    const hook = await createHook(admin, endpoint.url, { events: ['tenant.update', 'webhook.update'] });
    expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await admin.call('/api/v1/webhooks');
    expect(listed.text).not.toContain('secret"');
    const { body: renewed } = await change(admin, hook, { rotate_secret: true });
    expect(renewed.secret).toMatch(/^whsec_/);
    expect(renewed.secret).not.toBe(hook.secret);
    expect(Date.parse(renewed.previous_secret_until!) - Date.now()).toBeGreaterThan(86_000_000);
    expect((await change(admin, hook, { description: 'same secret' })).body.secret).toBeNull();
    await rename(admin, 'signed twice');
    await endpoint.until(3);
    for (const { body, headers } of endpoint.received) {
      expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
      for (const secret of [hook.secret, renewed.secret!]) new Webhook(secret).verify(body, headers as Record<string, string>);
    }
    const everything = [
      listed.text,
      (await admin.call('/api/v1/audit-logs?page_size=200')).text,
      JSON.stringify(await ledger(admin, hook)),
      ...endpoint.received.map(({ body }) => body),
      ...world.servers.map(({ output }) => output()),
    ].join();
    expect(everything).not.toContain('whsec_');
    expect(everything).not.toContain(hook.secret.slice(6));
  });

  it('gets nothing while it is paused, and what waited when it is resumed', async () => {
    let isUp = false;
    const endpoint = await receiver(() => (isUp ? 200 : 500));
    const hook = await createHook(admin, endpoint.url, { events: ['tenant.update'] });
    const other = await receiver();
    await createHook(admin, other.url, { events: ['tenant.update'] });
    await rename(admin, 'waits');
    await endpoint.until(1);
    await other.until(1);
    expect((await change(admin, hook, { state: 'paused' })).body).toMatchObject({ state: 'paused', pause_reason: 'by hand' });
    await rename(admin, 'never told');
    // events are gathered before they are handed out: this one has been
    await other.until(2);
    isUp = true;
    const [waiting] = await eventually(
      () => ledger(admin, hook),
      ([first]) => first?.state === 'failed',
    );
    expect((await redeliver(admin, hook, waiting!)).status).toBe(409);
    await change(admin, hook, { state: 'active' });
    const rows = await eventually(
      () => ledger(admin, hook),
      ([first]) => first?.state === 'sent',
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.attempts.map(({ status }) => status)).toEqual([500, 200]);
    await rename(admin, 'told');
    await endpoint.until(3);
  });

  it('is deleted with its ledger', async () => {
    const endpoint = await receiver();
    const hook = await createHook(admin, endpoint.url, { events: ['tenant.update'] });
    await rename(admin, 'once');
    await endpoint.until(1);
    expect((await admin.call(`/api/v1/webhooks/${hook.webhook_id}`, { method: 'DELETE' })).status).toBe(204);
    await rename(admin, 'not told');
    expect((await admin.call(`/api/v1/webhooks/${hook.webhook_id}/deliveries`)).status).toBe(404);
    expect((await change(admin, hook, { description: 'x' })).status).toBe(404);
    expect((await admin.call<{ total: number }>('/api/v1/webhooks')).body.total).toBe(0);
    const { body } = await admin.call<{ items: { action: string; target: string }[] }>('/api/v1/audit-logs');
    expect(body.items.map(({ action }) => action)).toEqual(expect.arrayContaining(['webhook.create', 'webhook.delete']));
    expect(endpoint.received).toHaveLength(1);
  });

  it.each([
    ['an unknown kind of event', { events: ['finding.opened'] }, 'events.0'],
    ['no kind of event', { events: [] }, 'events'],
    ['an engine that there is not', { filter: { engine: ['nope'] } }, 'filter.engine'],
    ['a secret of its own', { secret: 'whsec_mine' }, 'secret'],
    ['an address that is none', { url: 'not a url' }, 'url'],
    ['an address with credentials', { url: 'http://user:pass@127.0.0.1/' }, 'url'],
    ['an address of another scheme', { url: 'ftp://127.0.0.1/' }, 'url'],
  ])('with %s is refused', async (_case, more, path) => {
    const endpoint = await receiver();
    const { status, body } = await admin.call<{ detail: { path: string }[] }>('/api/v1/webhooks', {
      body: { url: endpoint.url, events: ['*'], ...more },
    });
    expect({ status, paths: body.detail.map((one) => one.path) }).toEqual({ status: 422, paths: [path] });
    await createHook(admin, endpoint.url, { events: [...AUDIT_ACTIONS] });
  });

  it('is one of twenty at most', async () => {
    const endpoint = await receiver();
    for (let n = 0; n < 20; n++) await createHook(admin, endpoint.url, { state: 'paused' });
    expect((await admin.call('/api/v1/webhooks', { body: { url: endpoint.url, events: ['*'] } })).status).toBe(422);
  });
});
