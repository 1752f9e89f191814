import { randomUUID } from 'node:crypto';
import { systemClock } from '../../kit/base/clock.js';
import { domainHolders } from '../../accounts/domains/records.js';
import { createOrganization } from '../../accounts/seed.js';
import { ssoSettings } from '../../accounts/providers/records.js';
import { startDnsServer, type TestDnsServer } from '../support/dns-server.js';
import { claim, claimRow, domainsOf, giveUp, holderRow, stateOf, verified, verify } from '../support/domains.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { type Client, type TestTenant } from '../support/world.js';

// servers of its own, with other processes beside them
jest.setTimeout(600_000);

let dns: TestDnsServer;
let own: OwnWorld;
let tenant: TestTenant;
let admin: Client;
let domain: string;
beforeAll(async () => {
  dns = await startDnsServer();
  own = await openOwnWorld({
    servers: 2,
    env: { DNS_SERVERS: dns.address, VERIFIED_DOMAINS: 'by-id.example=org_configured,by-name.example=Configured,alone.example' },
  });
});
beforeEach(async () => {
  tenant = await own.tenant();
  admin = await tenant.as('org_admin');
  domain = `d${randomUUID().slice(0, 8)}.example`;
});
afterAll(async () => {
  await own.close();
  await dns.stop();
});

const nameOf = (of = domain) => `_palisade.${of}`;
/** Claims the domain and sets its record. */
async function proved(client = admin): Promise<string> {
  const { value } = (await claim(client, domain)).body.record!;
  dns.set(nameOf(), { txt: [value] });
  return value;
}
const paths = (answer: { body: unknown }) => (answer.body as { detail: { path: string }[] }).detail.map(({ path }) => path);

describe('claiming a domain', () => {
  it('answers with the record to set, whose value is random and of this claim alone', async () => {
    const made = await claim(admin, domain.toUpperCase());
    expect(made).toMatchObject({
      status: 201,
      body: { domain, state: 'pending', source: null, problem: null, verified_at: null, record: { type: 'TXT', name: nameOf() } },
    });
    const { value } = made.body.record!;
    expect(value).toMatch(/^palisade-domain-verification=[A-Za-z0-9_-]{32}$/);
    const other = await claim(await (await own.tenant()).as('org_admin'), domain);
    expect([other.status, other.body.state]).toEqual([201, 'pending']);
    expect(other.body.record!.value).not.toBe(value);
    expect((await claim(admin, domain)).status).toBe(409);
    await giveUp(admin, domain);
    expect((await claim(admin, domain)).body.record!.value).not.toBe(value);
    const log = await admin.call<{ items: { action: string; target: string }[] }>('/api/v1/audit-logs?action=domain.claim,domain.remove');
    expect(log.body.items.map(({ action, target }) => [action, target])).toEqual([
      ['domain.claim', `domain:${domain}`],
      ['domain.remove', `domain:${domain}`],
      ['domain.claim', `domain:${domain}`],
    ]);
  });

  it.each([
    'com',
    'co.uk',
    'github.io',
    'example',
    'gmail.com',
    'mail.gmail.com',
    'yahoo.co.uk',
    '127.0.0.1',
    '[::1]',
    '',
    'a b.example',
    '*.x.example',
    '_x.example',
    'x..example',
  ])('refuses %j, which no organization can have alone', async (name) => {
    const answer = await claim(admin, name);
    expect([answer.status, paths(answer)]).toEqual([422, ['domain']]);
  });

  it('takes international names as ASCII, and names below public suffixes', async () => {
    expect((await claim(admin, `Bücher.${domain}`)).body.domain).toBe(`xn--bcher-kva.${domain}`);
    expect(await stateOf(admin, `xn--bcher-kva.${domain}`)).toBe('pending');
    expect((await claim(admin, `${domain.split('.')[0]}.co.uk`)).status).toBe(201);
  });

  it('is for an org_admin in person', async () => {
    const keyed = await admin.call<{ key: string }>('/api/v1/api-keys', {
      body: { name: 'k', permissions: ['tenants:read', 'tenants:write'], expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    });
    const key = { authorization: `Bearer ${keyed.body.key}` };
    await proved();
    const path = `/api/v1/settings/domains/${domain}`;
    for (const [client, headers] of [
      [await tenant.as('tenant_admin'), {}],
      [own.anonymous, key],
    ] as const) {
      expect((await client.call('/api/v1/settings/domains', { headers })).status).toBe(200);
      expect((await client.call('/api/v1/settings/domains', { body: { domain: 'other.example' }, headers })).status).toBe(403);
      expect((await client.call(`${path}/verify`, { method: 'POST', headers })).status).toBe(403);
      expect((await client.call(path, { method: 'DELETE', headers })).status).toBe(403);
    }
    expect((await (await tenant.as('viewer')).call('/api/v1/settings/domains')).status).toBe(403);
  });
});

describe('verifying a domain', () => {
  it('finds the record, also in pieces and beside others, and holds at every process', async () => {
    const { value } = (await claim(admin, domain)).body.record!;
    dns.set(nameOf(), { txt: ['v=something else', value, 'x'.repeat(600)] });
    const answer = await verify(own.at(admin, 1), domain);
    expect(answer).toMatchObject({ status: 200, body: { state: 'verified', source: 'dns', problem: null } });
    expect(await stateOf(admin, domain)).toBe('verified');
    const log = await admin.call<{ items: { actor_email: string }[] }>('/api/v1/audit-logs?action=domain.verify');
    expect(log.body.items).toMatchObject([{ actor_email: admin.user!.email }]);
    // again changes nothing, and is told of once
    expect((await verify(admin, domain)).body.state).toBe('verified');
    expect((await admin.call<{ total: number }>('/api/v1/audit-logs?action=domain.verify')).body.total).toBe(1);
  });

  it.each([
    ['no record', () => dns.set(nameOf(), null), /no TXT record/],
    ['another value', () => dns.set(nameOf(), { txt: ['palisade-domain-verification=another'] }), /another value/],
    ['a name that fails', () => dns.set(nameOf(), 'servfail'), /do not answer/],
    ['name servers that are silent', () => dns.set(nameOf(), 'silence'), /do not answer/],
  ] as const)('says what is wrong: %s', async (_name, prepare, problem) => {
    await claim(admin, domain);
    prepare();
    const { status, body } = await verify(admin, domain);
    expect([status, body.state]).toEqual([200, 'pending']);
    expect(body.problem).toMatch(problem);
    expect(body.checked_at).not.toBeNull();
  });

  it('takes the record of that exact name: no alias, no parent, no child, and no value within another', async () => {
    const { value } = (await claim(admin, domain)).body.record!;
    dns.set(nameOf(), { cname: 'elsewhere.example', txt: [value] });
    expect((await verify(admin, domain)).body).toMatchObject({ state: 'pending', problem: expect.stringContaining('alias') as string });
    dns.set(nameOf(), null);
    dns.set(domain, { txt: [value] });
    dns.set(`x._palisade.${domain}`, { txt: [value] });
    dns.set('_palisade.example', { txt: [value] });
    expect((await verify(admin, domain)).body.state).toBe('pending');
    dns.set(nameOf(), { txt: [`${value}x`, `x${value}`, value.toUpperCase()] });
    expect((await verify(admin, domain)).body.state).toBe('pending');
    const child = `sub.${domain}`;
    dns.set(nameOf(), { txt: [value] });
    await verify(admin, domain);
    await claim(admin, child);
    expect((await verify(admin, child)).body.state).toBe('pending');
  });

  it('is 404 for a domain that only others claim, as for one that nobody does', async () => {
    await proved(await (await own.tenant()).as('org_admin'));
    for (const call of [verify, giveUp]) {
      const [others, none] = [await call(admin, domain), await call(admin, 'nobody.example')];
      expect([others.status, others.text]).toEqual([404, none.text]);
    }
  });

  it('gives a domain to one organization when two verify at once', async () => {
    const others = await Promise.all(Array.from({ length: 3 }, async () => (await own.tenant()).as('org_admin')));
    const clients = [admin, ...others];
    const values = await Promise.all(clients.map(async (client) => (await claim(client, domain)).body.record!.value));
    dns.set(nameOf(), { txt: values });
    const answers = await Promise.all(clients.flatMap((client) => [verify(client, domain), verify(own.at(client, 1), domain)]));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const states = await Promise.all(clients.map((client) => stateOf(client, domain)));
    expect(states.sort()).toEqual(['held', 'held', 'held', 'verified']);
  });
});

describe('a domain that another organization holds', () => {
  it('blocks no claim, and tells of its holder nothing', async () => {
    await verified(own, (await own.tenant()).tenant, domain);
    const [held, free] = [await claim(admin, domain), await claim(admin, `free-${domain}`)];
    const shape = (answer: typeof held) =>
      JSON.stringify(answer.body)
        .replaceAll(`free-${domain}`, domain)
        .replace(/"(value|created_at)":"[^"]*"/g, '');
    expect([held.status, shape(held)]).toEqual([201, shape(free)]);
    const [first, second] = [await verify(admin, domain), await verify(admin, `free-${domain}`)];
    const look = ({ body }: typeof first) => [body.state, body.problem!.replace(`free-${domain}`, domain), body.transfers_at];
    expect(look(first)).toEqual(look(second));
  });

  it('passes on with the new proof and after 72 hours without the old one', async () => {
    const holder = await own.tenant();
    const before = await holder.as('org_admin');
    const old = await proved(before);
    expect((await verify(before, domain)).body.state).toBe('verified');
    const { value } = (await claim(admin, domain)).body.record!;
    // both records are there: nothing moves, however long
    dns.set(nameOf(), { txt: [old, value] });
    expect((await verify(admin, domain)).body).toMatchObject({ state: 'held', transfers_at: null });
    dns.set(nameOf(), { txt: [value] });
    const waiting = (await verify(admin, domain)).body;
    expect(waiting.state).toBe('held');
    expect(Date.parse(waiting.transfers_at!) - Date.now()).toBeGreaterThan(71 * 3_600_000);
    expect(await stateOf(before, domain)).toBe('failing');
    // the old one comes back: the 72 hours begin again
    dns.set(nameOf(), { txt: [old, value] });
    expect((await verify(admin, domain)).body.transfers_at).toBeNull();
    expect(await stateOf(before, domain)).toBe('verified');
    dns.set(nameOf(), { txt: [value] });
    await verify(admin, domain);
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const since = async (hours: number) => {
      const changes = { absent_since: ago(hours), failing_since: ago(hours) };
      await own.database.system(domainHolders).update({ _id: domain }, { $set: changes });
    };
    await since(71);
    expect((await verify(admin, domain)).body.state).toBe('held');
    await since(73);
    // not without the new proof
    dns.set(nameOf(), { txt: [] });
    expect((await verify(admin, domain)).body.state).toBe('pending');
    dns.set(nameOf(), { txt: [value] });
    expect((await verify(admin, domain)).body.state).toBe('verified');
    expect(await stateOf(before, domain)).toBe('pending');
    const lost = await before.call<{ items: { detail: unknown }[] }>('/api/v1/audit-logs?action=domain.lose');
    expect(lost.body.items).toHaveLength(1);
    expect(lost.text).not.toContain(tenant.tenant.organization_id);
  });
  it('is not lost while its name servers are silent, which says nothing of the record', async () => {
    const holder = await own.tenant();
    await proved(await holder.as('org_admin'));
    await verify(await holder.as('org_admin'), domain);
    dns.set(nameOf(), 'silence');
    await verify(await holder.as('org_admin'), domain);
    expect(await holderRow(own, domain)).toMatchObject({ failing_since: expect.any(Date) as Date, absent_since: null });
    expect(await stateOf(await holder.as('org_admin'), domain)).toBe('failing');
  });

  it('is free at once when it is given up', async () => {
    const before = await (await own.tenant()).as('org_admin');
    const old = await proved(before);
    await verify(before, domain);
    const { value } = (await claim(admin, domain)).body.record!;
    dns.set(nameOf(), { txt: [old, value] });
    expect((await verify(admin, domain)).body.state).toBe('held');
    expect((await giveUp(before, domain)).status).toBe(204);
    expect((await verify(admin, domain)).body.state).toBe('verified');
    expect((await claimRow(own, tenant, domain))!.proved_at).toBeNull();
  });
});

describe("the operator's configuration", () => {
  it('verifies domains for the organization of that id or name, and nobody can give them up or take them', async () => {
    const target = { database: own.database, clock: systemClock, masterKey: own.auth.parts.masterKey };
    await createOrganization(target, { id: 'org_configured', name: 'Configured' });
    const configured = await own.tenant('org_configured');
    const owner = await configured.as('org_admin');
    const { items, total } = await domainsOf(owner);
    expect([total, items.map(({ domain: name, state, source }) => [name, state, source])]).toEqual([
      2,
      [
        ['by-id.example', 'verified', 'configuration'],
        ['by-name.example', 'verified', 'configuration'],
      ],
    ]);
    expect((await giveUp(owner, 'by-id.example')).status).toBe(409);
    const { value } = (await claim(admin, 'by-name.example')).body.record!;
    dns.set('_palisade.by-name.example', { txt: [value] });
    expect((await verify(admin, 'by-name.example')).body).toMatchObject({ state: 'held', transfers_at: null });
    // a second organization of the name leaves the name with nobody
    await createOrganization(target, { name: 'Configured' });
    expect((await domainsOf(owner)).items.map(({ domain: name }) => name)).toEqual(['by-id.example']);
  });
});

test('a domain that the operator names alone is that of the organization that claims it first', async () => {
  expect((await claim(admin, 'alone.example')).body).toMatchObject({ state: 'verified', source: 'configuration' });
  const other = await (await own.tenant()).as('org_admin');
  expect((await claim(other, 'alone.example')).body).toMatchObject({ state: 'pending', source: null });
});

describe('allowed_domains', () => {
  const set = (allowed_domains: string[]) =>
    admin.call('/api/v1/settings/sso', {
      method: 'PUT',
      body: { oauth: { enabled: true, issuer: 'https://accounts.example', client_id: 'c', client_secret: 'hush-hush', allowed_domains } },
    });

  it('names verified domains of the organization only, and says which are not', async () => {
    await verified(own, (await own.tenant()).tenant, `others-${domain}`);
    await proved();
    await verify(admin, domain);
    const refused = await set([domain, `others-${domain}`, `nobodys-${domain}`]);
    expect([refused.status, paths(refused)]).toEqual([422, ['oauth.allowed_domains.1', 'oauth.allowed_domains.2']]);
    const messages = (refused.body as unknown as { detail: { message: string }[] }).detail.map(({ message }) => message);
    // one that another organization holds reads as one that nobody does
    expect(messages.map((message) => message.replace(/\w+-d/, 'd'))).toEqual([
      messages[0]!.replace('others-', ''),
      messages[0]!.replace('others-', ''),
    ]);
    expect((await set([domain])).status).toBe(200);
  });

  it('keeps what was set before domains were verified', async () => {
    expect((await set([])).status).toBe(200);
    const rows = own.database.tenant(tenant.tenant._id).collection(ssoSettings);
    await rows.update({}, { $set: { 'oauth.allowed_domains': [domain] } });
    expect((await set([domain])).status).toBe(200);
    expect((await set([domain, `new-${domain}`])).status).toBe(422);
    expect((await set([])).status).toBe(200);
    expect((await set([domain])).status).toBe(422);
  });
});
