import { Browser, post, samlTenant } from '../support/saml-tenant.js';
import { openWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const me = async (browser: Browser) => (await browser.get('/api/v1/users/me')).json() as Promise<Record<string, unknown>>;

describe('signing in through SAML', () => {
  it('goes to the provider, comes back with a signed response, and has a session of the tenant', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(world.url);
    const request = await tenant.begin(browser, { return_to: '/gateway/docs' });
    const { posted, finished } = await post(browser, request.acsUrl, tenant.answer(request));
    expect(posted.status).toBe(303);
    expect(browser.session).toBeDefined();
    expect(finished!.status).toBe(302);
    expect(finished!.headers.get('location')).toBe('/gateway/docs');
    expect(await me(browser)).toMatchObject({ email: `ada@${tenant.domain}`, role: 'viewer' });
  });
});
