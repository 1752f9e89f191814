import type { Browser } from 'playwright-core';
import { ssoSettings } from '../../accounts/providers/records.js';
import { idpKeys, samlTenant, type SamlTenant } from '../support/saml-tenant.js';
import { startRealIdp, type RealIdp } from '../support/saml-real-idp.js';
import { openWorld, type World } from '../support/world.js';
import { CHROMIUM, LONG, openBrowser, WITHOUT_CHROMIUM } from '../support/chromium.js';
import { needing } from '../support/shared.js';

// The whole sign-in in a real browser, between two sites, with responses that a library of providers (npm samlp) has signed. It needs the
// package chromium of Debian, which `.ci/run` installs where it can; CHROMIUM names another one.
const person = { email: '', first: 'Ada', last: 'Byron', groups: ['engineers'] };

needing(CHROMIUM).describe(`a SAML sign-in in Chromium${WITHOUT_CHROMIUM}`, () => {
  let world: World;
  let browser: Browser;
  let idp: RealIdp;
  let tenant: SamlTenant;

  beforeAll(async () => {
    world = await openWorld();
    tenant = await samlTenant(world, { group_mappings: [{ group: 'engineers', role: 'analyst', priority: 1 }], default_role: null });
    person.email = `ada@${tenant.domain}`;
    idp = await startRealIdp(idpKeys(), person);
    await world.database
      .tenant(tenant.id)
      .collection(ssoSettings)
      .update({}, { $set: { 'saml.idp_entity_id': idp.entityId, 'saml.idp_sso_url': idp.ssoUrl } });
    browser = await openBrowser();
  }, LONG);
  afterAll(async () => {
    await browser?.close();
    await idp?.close();
    await world?.close();
  }, LONG);

  it(
    'goes to the organization and comes back with a session, and the cookie of the way is sent across the sites',
    async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(`${world.url}/auth/login/organization?return_to=/api/v1/users/me`);
      await page.fill('input[name=email]', person.email);
      await page.click('button');
      await page.click(`text=Sign in as ${person.first}`);
      await page.waitForURL(`${world.url}/api/v1/users/me`);
      expect(JSON.parse(await page.innerText('body'))).toMatchObject({ email: person.email, role: 'analyst' });
      const cookies = await context.cookies();
      expect(cookies.find(({ name }) => name === 'access_token')).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
      await context.close();
    },
    LONG,
  );

  it(
    'shows an answer that belongs to another browser a page, and signs it in to nothing',
    async () => {
      const [attacker, victim] = [await browser.newContext(), await browser.newContext()];
      const page = await attacker.newPage();
      let form: { url: string; data: string } | null = null;
      await page.route('**/acs/', (route) => {
        form = { url: route.request().url(), data: route.request().postData() ?? '' };
        return route.abort();
      });
      await page.goto(`${world.url}/auth/saml/login?tenant_id=${tenant.id}`);
      await page.click(`text=Sign in as ${person.first}`);
      for (let tries = 0; form === null && tries < 100; tries++) await page.waitForTimeout(100);

      const other = await victim.newPage();
      const fields = [...new URLSearchParams(form!.data)].map(([name, value]) => `<input name="${name}" value="${value}">`);
      await other.goto(idp.entityId);
      await other.setContent(`<form method="post" action="${form!.url}">${fields.join('')}<button>Go</button></form>`);
      await other.click('button');
      await other.waitForURL('**/auth/saml/finish?*');
      expect(await other.innerText('main')).toContain('begin it again');
      expect((await victim.cookies()).filter(({ name }) => name === 'access_token')).toEqual([]);
      if (process.env['SCREENSHOTS']) await other.screenshot({ path: `${process.env['SCREENSHOTS']}/refused.png` });
    },
    LONG,
  );

  it(
    'shows an administrator what a test sign-in has found',
    async () => {
      const context = await browser.newContext();
      const [name, value] = (await tenant.as('tenant_admin')).cookie!.split('=') as [string, string];
      await context.addCookies([{ name, value, url: world.url, sameSite: 'Lax', httpOnly: true }]);
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(`${world.url}/auth/saml/login?test=1`);
      await page.click(`text=Sign in as ${person.first}`);
      await page.waitForURL('**/auth/saml/finish?*');
      expect(await page.innerText('main')).toMatch(/Nobody was signed in[\s\S]*engineers[\s\S]*analyst/);
      if (process.env['SCREENSHOTS']) await page.screenshot({ path: `${process.env['SCREENSHOTS']}/test.png` });
      await context.close();
    },
    LONG,
  );
});
