import { randomUUID } from 'node:crypto';
import { Browser } from '../support/browser.js';
import { openOauthWorld, tenantWith, whoIs, type OauthWorld } from '../support/oauth.js';
import { hashPassword } from '../../sign-in/index.js';
import { users } from '../../accounts/records.js';
import { openServers } from '../support/world.js';

const PASSWORD = 'correct horse battery staple';

// providers of its own, beside other processes
jest.setTimeout(600_000);

let world: OauthWorld;
let url: string;
beforeAll(async () => {
  world = await openOauthWorld(await openServers('pair'));
  url = world.own.servers[0]!.url;
});
afterAll(() => world.close());

/** An analyst with a password. */
async function person(): Promise<string> {
  const { user } = await (await world.own.tenant()).as('analyst');
  const password_hash = await hashPassword(PASSWORD);
  await world.own.database.system(users).update({ _id: user!._id }, { $set: { password_hash } });
  return user!.email;
}

const attribute = (html: string, pattern: RegExp): string =>
  (pattern.exec(html)?.[1] ?? '').replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

describe('the sign-in page', () => {
  it('signs in with a password and goes where the person wanted', async () => {
    const email = await person();
    const browser = new Browser();
    const page = await browser.ask(`${url}/auth/login?return_to=${encodeURIComponent('/gateway/docs?a=1&b="2"')}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/<script|https?:\/\//);
    expect(page.text).not.toContain('This is the demo');
    const return_to = attribute(page.text, /name="return_to" value="([^"]*)"/);
    expect(return_to).toBe('/gateway/docs?a=1&b=%222%22');
    const done = await browser.ask(`${url}/auth/login`, { form: { email: ` ${email.toUpperCase()} `, password: PASSWORD, return_to } });
    expect([done.status, done.headers.get('location')]).toEqual([302, return_to]);
    expect(await whoIs(browser, url)).toMatchObject({ email, role: 'analyst' });
  });

  it('keeps where the person wanted to go on the way to the organization and back', async () => {
    const browser = new Browser();
    const wanted = `return_to=${encodeURIComponent('/gateway/docs?a=1')}`;
    const there = await browser.ask(`${url}/auth/login?${wanted}`);
    expect(there.text).toContain(`href="/auth/login/organization?${wanted}"`);
    expect((await browser.ask(`${url}/auth/login/organization?${wanted}`)).text).toContain(`href="/auth/login?${wanted}"`);
  });

  it('says what was wrong, alike for a wrong password and for an account that does not exist, and keeps the address', async () => {
    const email = await person();
    const texts = [];
    for (const wrong of [email, 'nobody@nowhere.example']) {
      const browser = new Browser();
      const page = await browser.ask(`${url}/auth/login`, { form: { email: wrong, password: 'wrong', return_to: '//evil.example' } });
      expect([page.status, page.headers.getSetCookie()]).toEqual([401, []]);
      expect(page.text).toContain('The e-mail address or the password is wrong');
      expect(attribute(page.text, /name="return_to" value="([^"]*)"/)).toBe('/');
      texts.push(page.text.replaceAll(wrong, '').replace(/&#\d+;/g, ''));
      expect(page.text).not.toContain('wrong" value');
      expect(attribute(page.text, /name="email"[^>]*value="([^"]*)"/)).toBe(wrong);
    }
    expect(texts[0]).toBe(texts[1]);
  });

  it('writes nothing that was typed as markup', async () => {
    const typed = '"><img src=x onerror=alert(1)>@x.example';
    const page = await new Browser().ask(`${url}/auth/login`, { form: { email: typed, password: 'x', return_to: '/"><b>' } });
    expect(page.text).not.toMatch(/<img|<b>/);
    const other = await new Browser().ask(
      `${url}/auth/login/organization?${new URLSearchParams({ email: typed, return_to: '/"><b>' }).toString()}`,
    );
    expect([other.status, /<img|<b>/.test(other.text)]).toEqual([404, false]);
  });

  it('takes forms of its own only', async () => {
    const form = { email: await person(), password: PASSWORD };
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }])
      expect((await new Browser().ask(`${url}/auth/login`, { form, headers })).status).toBe(403);
    const json = await world.own.anonymous.call('/auth/login', { body: form });
    expect([json.status, json.headers.getSetCookie()]).toEqual([415, []]);
    expect((await new Browser().ask(`${url}/auth/login`, { form })).status).toBe(302);
  });

  it('leads to the provider of the organization, by a link that needs no form', async () => {
    const domain = `d${randomUUID().slice(0, 8)}.example`;
    await tenantWith(world.own, world.hostile.issuer, {}, { allowed_domains: [domain] });
    const address = `someone@${domain}`;
    const ask = (email: string) =>
      new Browser().ask(`${url}/auth/login/organization?${new URLSearchParams({ email, return_to: '/gateway/docs' }).toString()}`);
    const page = await ask(address);
    const target = attribute(page.text, /http-equiv="refresh" content="0;url=([^"]*)"/);
    expect(target).toBe(`/auth/oauth/login?${new URLSearchParams({ email: address, return_to: '/gateway/docs' }).toString()}`);
    const browser = new Browser();
    const arrived = await browser.go(url + target, `${url}/auth/oauth/callback`);
    expect((await browser.ask(arrived.target!)).headers.get('location')).toBe('/gateway/docs');
    expect(await whoIs(browser, url)).toMatchObject({ email: address });
    // an account without a provider and no account at all are answered alike
    const [member, stranger] = [await person(), 'nobody@nowhere.example'];
    const [one, two] = [await ask(member), await ask(stranger)];
    expect([one.status, two.status]).toEqual([404, 404]);
    const without = (text: string, email: string) => text.replaceAll(email, '');
    expect(without(one.text, member)).toBe(without(two.text, stranger));
  });
});
