import { serviceProvider } from '../../sign-in/saml/service-provider.js';
import { users } from '../../accounts/records.js';
import { sessions } from '../../accounts/session-record.js';
import { selfSigned, type SelfSigned } from '../support/certificates.js';
import { encode, signedResponse } from '../support/saml-idp.js';
import { Browser, post, samlTenant, type SamlTenant } from '../support/saml-tenant.js';
import { openServers, type ServersWorld } from '../support/world.js';

// Two processes over one store: whatever is good for one use is so for both together.
let world: ServersWorld;
let others: SelfSigned;
const LONG = 600_000;

beforeAll(async () => {
  world = await openServers('proxied');
  others = selfSigned();
}, LONG);
afterAll(() => world.close());

const server = (index: number) => world.servers[index % 2]!.url;
const sessionsOf = (tenant: SamlTenant) => world.database.system(sessions).find({ sso_tenant_id: tenant.id });
const COPIES = 8;

describe('S3: responses that are good for one use, one browser and one tenant', () => {
  it('a sign-in begun at one process is answered at the other and finished at the first', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(server(0));
    const request = await tenant.begin(browser);
    browser.base = server(1);
    const posted = await browser.postFromElsewhere(request.acsUrl, { SAMLResponse: encode(tenant.answer(request)) });
    expect(posted.status).toBe(302);
    browser.base = server(0);
    expect((await browser.get(posted.headers.get('location')!)).status).toBe(302);
    expect(await sessionsOf(tenant)).toHaveLength(1);
  });

  it('the same response again is refused by both processes', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(server(0));
    const request = await tenant.begin(browser);
    const xml = tenant.answer(request);
    expect((await post(browser, request.acsUrl, xml)).finished!.status).toBe(302);
    for (const index of [0, 1]) {
      browser.base = server(index);
      expect((await post(browser, request.acsUrl, xml)).posted.status).toBe(400);
    }
    expect(await sessionsOf(tenant)).toHaveLength(1);
  });

  it('an assertion that was accepted is refused in the answer to another request', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(server(0));
    const first = await tenant.begin(browser);
    const xml = tenant.answer(first, { assertionId: '_used' });
    expect((await post(browser, first.acsUrl, xml)).finished!.status).toBe(302);
    const second = await tenant.begin(browser);
    const replayed = xml.replace(`InResponseTo="${first.id}" IssueInstant`, `InResponseTo="${second.id}" IssueInstant`);
    expect(replayed).not.toBe(xml);
    expect((await post(browser, second.acsUrl, replayed)).posted.status).toBe(400);
    // Its id alone is enough to be refused; another one is not.
    for (const [assertionId, status] of [
      ['_used', 400],
      ['_fresh', 302],
    ] as const) {
      const request = await tenant.begin(browser);
      expect((await post(browser, request.acsUrl, tenant.answer(request, { assertionId }))).posted.status).toBe(status);
    }
  });

  it('eight copies at once make one session', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(server(0));
    const request = await tenant.begin(browser);
    const xml = tenant.answer(request);
    const posts = await Promise.all(
      Array.from({ length: COPIES }, (_, index) => {
        const copy = new Browser(server(index));
        return copy.postFromElsewhere(request.acsUrl, { SAMLResponse: encode(xml) });
      }),
    );
    expect(posts.map(({ status }) => status).sort()).toEqual([302, ...Array<number>(COPIES - 1).fill(400)]);
    const code = posts.find(({ status }) => status === 302)!.headers.get('location')!;
    const fetched = await Promise.all(
      Array.from({ length: COPIES }, (_, index) => {
        browser.base = server(index);
        return browser.get(code);
      }),
    );
    expect(fetched.map(({ status }) => status).sort()).toEqual([302, ...Array<number>(COPIES - 1).fill(400)]);
    expect(await sessionsOf(tenant)).toHaveLength(1);
  });

  it('eight first sign-ins of one person at once make one account', async () => {
    const tenant = await samlTenant(world);
    const results = await Promise.all(
      Array.from({ length: COPIES }, async (_, index) => {
        const browser = new Browser(server(index));
        const request = await tenant.begin(browser);
        return (await post(browser, request.acsUrl, tenant.answer(request))).finished!.status;
      }),
    );
    expect(results).toEqual(Array<number>(COPIES).fill(302));
    expect(new Set((await sessionsOf(tenant)).map(({ user_id }) => user_id)).size).toBe(1);
    expect(await world.database.system(users).count({ email: `ada@${tenant.domain}` })).toBe(1);
  });

  it('a forged response that names a pending sign-in uses nothing up, however often it comes', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(server(0));
    const request = await tenant.begin(browser);
    const forged = signedResponse(tenant.facts(request), 'assertion', { key: others.privateKey });
    const copies = await Promise.all(
      Array.from({ length: COPIES }, (_, index) =>
        new Browser(server(index)).postFromElsewhere(request.acsUrl, { SAMLResponse: encode(forged) }),
      ),
    );
    expect(copies.map(({ status }) => status)).toEqual(Array<number>(COPIES).fill(400));
    expect(await sessionsOf(tenant)).toHaveLength(0);
    const log = await (await tenant.as('tenant_admin')).call<{ items: { result: string }[] }>('/api/v1/audit-logs?action=user.login');
    expect(log.body.items.map(({ result }) => result)).toEqual(Array<string>(5).fill('failure'));
    expect((await post(browser, request.acsUrl, tenant.answer(request))).finished!.status).toBe(302);
    expect(await sessionsOf(tenant)).toHaveLength(1);
    expect((await post(browser, request.acsUrl, tenant.answer(request))).posted.status).toBe(400);
  });

  it('an unsolicited response is refused', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(server(0));
    const request = await tenant.begin(browser);
    const { privateKey: key } = tenant.keys;
    for (const id of ['_0123456789abcdef0123456789abcdef01234567', '']) {
      const { posted } = await post(browser, request.acsUrl, tenant.answer({ ...request, id }));
      expect(posted.status).toBe(400);
    }
    const without = signedResponse(tenant.facts(request), 'assertion', { key }).replace(` InResponseTo="${request.id}"`, '');
    expect((await post(browser, request.acsUrl, without)).posted.status).toBe(400);
    expect(browser.session).toBeUndefined();
    expect((await post(browser, request.acsUrl, tenant.answer(request))).finished!.status).toBe(302);
  });

  it("another browser's response signs nobody in, and is still good in its own", async () => {
    const tenant = await samlTenant(world);
    const [attacker, victim] = [new Browser(server(0)), new Browser(server(1))];
    const request = await tenant.begin(attacker);
    // The victim has a sign-in of its own under way, so it holds a value for its own.
    await tenant.begin(victim);
    const { posted, finished } = await post(victim, request.acsUrl, tenant.answer(request));
    expect(posted.status).toBe(302);
    expect(finished!.status).toBe(400);
    expect(victim.session).toBeUndefined();
    expect(await sessionsOf(tenant)).toHaveLength(0);
    expect((await attacker.get(posted.headers.get('location')!)).status).toBe(302);
    expect(attacker.session).toBeDefined();
  });

  it("a tenant's response is refused at another tenant's address", async () => {
    const [first, second] = [await samlTenant(world), await samlTenant(world, {}, { keys: others })];
    const browser = new Browser(server(0));
    const address = `/api/auth/saml/${second.id}/acs/`;
    const request = await first.begin(browser);
    const moved = { recipient: `https://palisade.test${address}`, destination: `https://palisade.test${address}` };
    expect((await post(browser, address, first.answer(request))).posted.status).toBe(400);
    expect((await post(browser, address, first.answer(request, moved))).posted.status).toBe(400);
    expect((await post(browser, request.acsUrl, first.answer(request))).finished!.status).toBe(302);
    expect(await sessionsOf(second)).toHaveLength(0);
  });

  // who is registered as one application at a provider may let other people in than the other one does
  it.each([
    ['tenant', 'untenanted'],
    ['untenanted', 'tenant'],
  ] as const)(
    'a response for the address of scope %s is worth nothing at that of scope %s, whatever it says',
    async (service_provider, other) => {
      const tenant = await samlTenant(world, {}, { service_provider });
      const browser = new Browser(server(0));
      const elsewhere = serviceProvider('https://palisade.test', tenant.id, other);
      const moved = { recipient: elsewhere.acs_url, destination: elsewhere.acs_url };
      for (const changes of [{}, moved, { ...moved, audience: elsewhere.entity_id }]) {
        const request = await tenant.begin(browser);
        expect((await post(browser, elsewhere.acs_url, tenant.answer(request, changes))).posted.status).toBe(400);
      }
      const request = await tenant.begin(browser);
      expect((await post(browser, request.acsUrl, tenant.answer(request))).finished!.status).toBe(302);
      expect(await sessionsOf(tenant)).toHaveLength(1);
    },
  );

  it("a provider that answers another tenant's request at the shared address is refused", async () => {
    const shared = { service_provider: 'untenanted' } as const;
    const [first, second] = [await samlTenant(world, {}, shared), await samlTenant(world, {}, { ...shared, keys: others })];
    const browser = new Browser(server(0));
    for (const issuer of [second.provider, first.provider]) {
      const request = await first.begin(browser);
      expect(new URL(request.acsUrl).pathname).toBe('/auth/saml/callback');
      const facts = first.facts(request, { issuer, responseIssuer: issuer });
      const { posted } = await post(browser, request.acsUrl, signedResponse(facts, 'both', { key: second.keys.privateKey }));
      expect(posted.status).toBe(400);
    }
    for (const tenant of [first, second]) {
      const request = await tenant.begin(browser);
      expect((await post(browser, request.acsUrl, tenant.answer(request))).finished!.status).toBe(302);
      const [session] = await sessionsOf(tenant);
      expect(session).toMatchObject({ tenant_id: tenant.id, method: 'saml' });
    }
  });
});
