import type { Browser } from 'playwright-core';
import { users } from '../../accounts/records.js';
import { hashPassword } from '../../sign-in/password.js';
import { CHROMIUM, LONG, openBrowser, openPage, WITHOUT_CHROMIUM } from '../support/chromium.js';
import { needing } from '../support/shared.js';
import { openWorld, type Client, type World } from '../support/world.js';

const PASSWORD = 'a long enough password';

let world: World;
let person: Client;
beforeAll(async () => {
  world = await openWorld();
  person = await (await world.tenant()).as('analyst');
  await world.database.system(users).update({ _id: person.user!._id }, { $set: { password_hash: await hashPassword(PASSWORD) } });
}, LONG);
afterAll(() => world?.close());

const linked = (html: string): string[] => [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);

describe('the page of the explorer', () => {
  it('is for everybody, with scripts and styles of this server alone', async () => {
    const page = await world.anonymous.call('/gateway/explorer');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(policy).toContain("worker-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:|\*/);
    expect(page.text).not.toMatch(/<script(?![^>]*src=)|style=| on\w+=/);
    for (const path of linked(page.text)) expect(path).toMatch(/^\/gateway\/|^data:,$/);
  });

  it('has files that may be kept for ever, under a name that changes with them', async () => {
    const { text } = await world.anonymous.call('/gateway/explorer');
    const files = linked(text).filter((path) => path.includes('/assets/'));
    expect(files.map((path) => path.split('.').at(-1)).sort()).toEqual(['css', 'js']);
    const base = files[0]!.slice(0, files[0]!.lastIndexOf('/'));
    for (const path of [...files, `${base}/workbench.css`, `${base}/graphql.worker.js`]) {
      const file = await world.anonymous.call(path);
      expect([path, file.status, file.headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
      expect(file.headers.get('content-type')).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
      const named = [...file.text.matchAll(/@import|url\(\s*["']?([^"')]{1,60})/g)].map(([, target]) => target ?? '@import');
      if (path.endsWith('.css')) expect(named.filter((target) => !/^(?:data:|\.\/[^/]*$)/.test(target))).toEqual([]);
    }
    for (const path of ['main.js.gz', 'made-of.json', '..%2f..%2fpackage.json', 'nothing.js'])
      expect([path, (await world.anonymous.call(`${base}/${path}`)).status]).toEqual([path, 404]);
    expect((await world.anonymous.call(files[0]!.replace(/assets\/[^/]+/, 'assets/0000'))).status).toBe(404);
  });

  it('sends its files compressed to who understands that, and plain to who does not', async () => {
    const { text } = await world.anonymous.call('/gateway/explorer');
    const path = linked(text).find((one) => one.endsWith('.css'))!;
    const plain = await world.anonymous.call(path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const packed = await fetch(world.url + path, { headers: { 'accept-encoding': 'gzip' } });
    expect([packed.headers.get('content-encoding'), await packed.text()]).toEqual(['gzip', plain.text]);
  });

  it('gives a stranger neither the graph nor an answer', async () => {
    expect((await world.anonymous.call('/gateway/explorer/graph.json')).status).toBe(401);
    expect((await world.anonymous.graphql('{ me { email } }')).status).toBe(401);
  });
});

needing(CHROMIUM).describe(`the explorer in Chromium${WITHOUT_CHROMIUM}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, LONG);
  afterAll(() => browser?.close(), LONG);

  it(
    'asks for a session, keeps the query over the sign-in, runs it, and shows the answer with its plan',
    async () => {
      const { page, strays } = await openPage(browser, world.url);
      await page.goto(
        `${world.url}/gateway/explorer#${new URLSearchParams({ query: 'query Mine { me { email } }', panel: 'This query' }).toString()}`,
      );
      await page.click('text=Sign in');
      await page.fill('input[name=email]', person.user!.email);
      await page.fill('input[name=password]', PASSWORD);
      await page.click('button');
      const panel = page.locator('.panel');
      await panel.getByText('GET /api/v1/users/me').waitFor();
      await page.locator('.graphiql-query-editor .view-line').first().waitFor();
      await page.locator('.graphiql-response .monaco-editor').waitFor();
      await page.locator('.graphiql-execute-button').click();
      await page.locator('.graphiql-response').getByText(person.user!.email).waitFor();
      await panel
        .locator('.fetch', { hasText: 'identity' })
        .getByText(/^\d+(?:\.\d+)? ms, from/)
        .waitFor();
      expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('query')).toBe('query Mine { me { email } }');

      await page.click('text=Examples');
      await page.click('text=How it went');
      await panel.getByText('dashboard_trends', { exact: true }).waitFor();
      await page.locator('.graphiql-execute-button').click();
      await page.locator('.graphiql-response').getByText('restrictedEngines').waitFor();

      await page.getByRole('button', { name: /Subgraphs/ }).click();
      await page.fill('input[type=search]', 'check_findings');
      await page.getByText(/^In 1 of \d+ engines\.$/).waitFor();
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );
});
