import { randomUUID } from 'node:crypto';
import { createOutbound, type Resolve } from '../../kit/outbound/outbound.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { fixedClock } from '../../kit/base/clock.js';
import { send } from '../../subgraphs/events/webhooks/send.js';
import { deliveries, webhookRowId, webhooks, type DeliveryRow, type WebhookRow } from '../../subgraphs/events/webhooks/records.js';
import { createSecret } from '../../subgraphs/events/webhooks/secrets.js';
import { eventually, openReceiver, type Receiver } from '../support/receiver.js';
import { change, createHook, ledger, rename } from '../support/webhooks.js';
import { openServers, openWorld, type Client, type ServersWorld, type World } from '../support/world.js';

describe('L2', () => {
  /** The shared server has no exceptions; the own one may call 127.0.0.1, and nothing else of loopback. */
  let world: World;
  let excepted: ServersWorld;
  let secret: Receiver;
  let admin: Client;
  beforeAll(async () => {
    world = await openWorld();
    excepted = await openServers('pair');
    secret = await openReceiver(() => 204, '127.0.0.2');
    admin = await (await world.tenant()).as('tenant_admin');
  });
  afterAll(async () => {
    await secret.close();
    await excepted.close();
    await world.close();
  });

  const save = (client: Client, url: string) =>
    client.call<{ detail: { path: string; message: string }[] }>('/api/v1/webhooks', { body: { url, events: ['tenant.update'] } });

  const HOSTS = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '0.0.0.0',
    '0',
    'localhost',
    'localhost.',
    'LOCALHOST',
    'a.localhost',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '169.254.1.1',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    'metadata.google.internal',
    '[::1]',
    '[::]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fc00::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::1]',
  ];

  it.each(HOSTS)('a webhook at %s is refused at save, new or changed', async (host) => {
    const refused = await save(admin, `https://${host}/hook`);
    expect({ status: refused.status, detail: refused.body.detail }).toEqual({
      status: 422,
      detail: [{ path: 'url', message: 'The target lies in a network that is not allowed' }],
    });
    const hook = await createHook(admin, 'https://hooks.example.com/', { state: 'paused' });
    expect((await change(admin, hook, { url: `https://${host}/hook` })).status).toBe(422);
    expect((await change(admin, hook, { url: 'https://1.1.1.1/hook', description: 'public' })).status).toBe(200);
    await admin.call(`/api/v1/webhooks/${hook.webhook_id}`, { method: 'DELETE' });
  });

  it('plain http and other schemes are refused at save', async () => {
    for (const url of [
      'http://hooks.example.com/',
      'http://1.1.1.1/',
      'ftp://1.1.1.1/',
      'file:///etc/passwd',
      'https://user:pass@hooks.example.com/',
    ])
      expect([url, (await save(admin, url)).status]).toEqual([url, 422]);
  });

  it('an address of the excepted network is saved and reached; its neighbour is neither', async () => {
    const own = await (await excepted.tenant()).as('tenant_admin');
    const endpoint = await openReceiver();
    await createHook(own, endpoint.url, { events: ['tenant.update'] });
    expect((await save(own, secret.url)).status).toBe(422);
    await rename(own, 'told');
    await endpoint.until(1);
    expect(secret.connections()).toBe(0);
    await endpoint.close();
  });

  it('a redirect to a private address reaches nothing, and the ledger says why', async () => {
    const own = await (await excepted.tenant()).as('tenant_admin');
    const endpoint = await openReceiver(() => ({ status: 302, headers: { location: secret.url } }));
    const hook = await createHook(own, endpoint.url, { events: ['tenant.update'] });
    await rename(own, 'redirected');
    const [failed] = await eventually(
      () => ledger(own, hook, '&state=failed'),
      (rows) => rows.length === 1,
    );
    expect(failed!.attempts[0]).toMatchObject({ status: 302, error: 'redirects are not followed' });
    expect(secret.connections()).toBe(0);
    await endpoint.close();
  });

  it('an address that was allowed when it was saved is refused at connect when it is no more', async () => {
    const tenant = await excepted.tenant();
    const own = await tenant.as('tenant_admin');
    const hook = await createHook(own, 'http://127.0.0.1:1/', { events: ['tenant.update'] });
    const rows = excepted.database.tenant(tenant.tenant._id).collection(webhooks);
    await rows.update({ _id: webhookRowId(tenant.tenant._id, hook.webhook_id) }, { $set: { url: secret.url } });
    await rename(own, 'refused');
    const [failed] = await eventually(
      () => ledger(own, hook, '&state=failed'),
      (all) => all.length === 1,
    );
    expect(failed!.attempts[0]).toMatchObject({
      status: null,
      response: null,
      error: 'The target lies in a network that is not allowed',
    });
    expect(JSON.stringify(failed)).not.toContain('127.0.0.2');
    expect(secret.connections()).toBe(0);
    expect(await excepted.database.tenant(tenant.tenant._id).collection(deliveries).count({ state: 'sent' })).toBe(0);
  });

  it('a name that is public at save and private at connect reaches nothing', async () => {
    const { port } = new URL(secret.url);
    let answer = '1.1.1.1';
    const lookup: Resolve = (_hostname, _options, callback) => callback(null, [{ address: answer, family: 4 }]);
    const [outbound, allowed] = [createOutbound([], { lookup }), createOutbound(['127.0.0.2/32'], { lookup })];
    const masterKey = openMasterKey({ PALISADE_SECRET: randomUUID(), dataDir: null });
    const clock = fixedClock('2030-01-01T00:00:00.000Z');
    const webhook = {
      _id: 'x',
      url: `https://rebind.example.com:${port}/`,
      secrets: [createSecret(masterKey, 'x').stored],
    } as unknown as WebhookRow;
    const delivery = { delivery_id: 'msg_1', payload: '{}' } as unknown as DeliveryRow;
    const tried = (by: typeof outbound, url = webhook.url) =>
      send({ outbound: by, masterKey, clock }, { ...webhook, url }, delivery, new AbortController().signal);
    await outbound.assertReachable(webhook.url);
    answer = '127.0.0.2';
    await expect(outbound.assertReachable(webhook.url)).rejects.toThrow('not allowed');
    const refused = await tried(outbound);
    expect(refused).toMatchObject({ sent: false, attempt: { status: null, error: 'The target lies in a network that is not allowed' } });
    expect(secret.connections()).toBe(0);
    // the same name and address where the network is excepted
    expect(await tried(allowed, `http://rebind.example.com:${port}/`)).toMatchObject({ sent: true, attempt: { status: 204 } });
    expect(secret.connections()).toBe(1);
    await Promise.all([outbound.close(), allowed.close()]);
  });
});
