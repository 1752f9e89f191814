import type { Browser } from 'playwright-core';
import { axeViolations } from '../support/axe.js';
import { CHROMIUM, LONG, openBrowser, openPage, WITHOUT_CHROMIUM } from '../support/chromium.js';
import { openConsole } from '../support/console-page.js';
import { needing } from '../support/shared.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
let analyst: Client;
beforeAll(async () => {
  world = await openWorld();
  analyst = await (await world.tenant()).as('analyst');
}, LONG);
afterAll(() => world?.close());

test('the reference is for everybody, with scripts and styles of this server alone, and none of them inline', async () => {
  const page = await world.anonymous.call('/gateway/docs');
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
  expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe|https?:|\*/);
  expect(page.text).not.toMatch(/<script(?![^>]*src=)|style=| on\w+=/);
});

needing(CHROMIUM).describe(`the reference in Chromium${WITHOUT_CHROMIUM}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, LONG);
  afterAll(() => browser?.close(), LONG);

  it(
    'is found by search, opened by its link, and tried with the session',
    async () => {
      const { page, strays } = await openConsole(browser, world.url, analyst, 'gateway/docs');
      await page.locator('.contents a.entry').first().waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('accounts groups');
      await page.locator('.contents [role=status]', { hasText: /^\d+ of \d+ endpoints$/ }).waitFor();
      await page.locator('.contents a.entry', { hasText: /^GET ?\/accounts\/groups$/ }).click();
      expect(new URL(page.url()).hash).toBe('#account_groups');
      await page.getByRole('heading', { name: 'GET /api/v1/accounts/groups' }).waitFor();

      await page.goto(`${world.url}/gateway/docs#findings`);
      await page.getByLabel('page_size', { exact: true }).fill('1');
      for (const [language, holds] of [
        ['curl', "curl '"],
        ['TypeScript', 'await fetch('],
        ['Python', 'urllib.request'],
        ['Go', 'package main'],
      ] as const) {
        await page.getByRole('button', { name: language, exact: true }).click();
        const text = await page.getByLabel(`Request in ${language}`, { exact: true }).innerText();
        expect(text).toContain(holds);
        expect(text).toContain(`${world.url}/api/v1/findings?page_size=1`);
      }
      await page.getByRole('button', { name: 'Send GET' }).click();
      await page.locator('.try h3', { hasText: '200' }).waitFor();
      expect(JSON.parse(await page.getByLabel('Answer', { exact: true }).innerText())).toMatchObject({ page_size: 1, items: [] });
      // what the demo answered is the example
      expect(await page.locator('pre[aria-label^="Example of the answer"]').first().innerText()).toContain('"finding_id"');
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'shows a refusal as any answer, and asks nobody to sign in before they want to send',
    async () => {
      const { page, strays } = await openPage(browser, world.url);
      await page.goto(`${world.url}/gateway/docs#findings`);
      await page.getByText('It takes a session').waitFor();
      expect(await page.getByRole('button', { name: 'Send GET' }).isDisabled()).toBe(true);
      const link = page.locator('.try a', { hasText: 'sign in' });
      expect(await link.getAttribute('href')).toBe(`/auth/login?return_to=${encodeURIComponent('/gateway/docs#findings')}`);
      await page.goto(`${world.url}/gateway/docs#login`);
      await page.getByRole('button', { name: 'Send POST' }).click();
      await page.locator('.try h3', { hasText: /^4\d\d/ }).waitFor();
      await page.goto(`${world.url}/gateway/docs#nothing_like_it`);
      await page.getByText('There is no such endpoint').waitFor();
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'goes on without its server: what was read stays, and a call says that nothing was reached',
    async () => {
      const { page } = await openConsole(browser, world.url, analyst, 'gateway/docs#accounts');
      await page.getByRole('button', { name: 'Send GET' }).waitFor();
      await page.locator('.who').waitFor();
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Send GET' }).click();
      await page.getByText('The server was not reached.').waitFor();
      await page.locator('.contents a.entry', { hasText: '/api-keys' }).first().click();
      await page.getByRole('heading', { name: 'GET /api/v1/api-keys' }).waitFor();
      await page.close();
    },
    LONG,
  );

  it(
    'shows what a hostile document says as text',
    async () => {
      const HOSTILE = `</title><script>alert(1)</script><img src=x onerror="alert(2)">`;
      const { page, strays } = await openPage(browser, world.url);
      const schema = {
        type: 'object',
        description: HOSTILE,
        properties: { [HOSTILE]: { type: HOSTILE, description: HOSTILE, default: HOSTILE } },
      };
      const operation = {
        operationId: 'hostile',
        tags: [HOSTILE],
        summary: HOSTILE,
        description: HOSTILE,
        parameters: [{ name: HOSTILE, in: 'query', description: HOSTILE, schema: { type: HOSTILE } }],
        requestBody: { description: HOSTILE, content: { [HOSTILE]: { schema, example: HOSTILE } } },
        responses: { 200: { description: HOSTILE, content: { [HOSTILE]: { schema, example: { [HOSTILE]: HOSTILE } } } } },
      };
      const body = {
        info: { title: HOSTILE, version: HOSTILE, description: HOSTILE },
        tags: [{ name: HOSTILE, description: HOSTILE }],
        paths: { [`/${HOSTILE}`]: { post: operation } },
        components: { schemas: { [HOSTILE]: schema }, parameters: {}, responses: {}, headers: {}, securitySchemes: {} },
      };
      await page.route('**/gateway/openapi.json', (route) => route.fulfill({ json: body }));
      for (const hash of ['', 'hostile', `schema-${encodeURIComponent(HOSTILE)}`]) {
        await page.goto(`${world.url}/gateway/docs#${hash}`);
        await page.locator('main h1').waitFor();
        expect(await page.locator('#reference img, #reference script').count()).toBe(0);
      }
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'has no violation that axe knows, and is a small page however long the document is',
    async () => {
      const { page, strays } = await openConsole(browser, world.url, analyst, 'gateway/docs');
      for (const scheme of ['light', 'dark'] as const)
        for (const hash of ['', 'findings', 'create_api_key', 'import_report', 'errors', 'authentication', 'schema-Asset']) {
          await page.emulateMedia({ colorScheme: scheme });
          await page.goto(`${world.url}/gateway/docs#${hash}`);
          await page.locator('main h1').waitFor();
          expect([hash, scheme, await axeViolations(page)]).toEqual([hash, scheme, []]);
        }
      const files = await page.evaluate(() =>
        performance.getEntriesByType('resource').flatMap((entry) => {
          const { name, encodedBodySize } = entry as unknown as { name: string; encodedBodySize: number };
          return name.includes('/gateway/assets/') ? [encodedBodySize] : [];
        }),
      );
      expect(files.reduce((sum, size) => sum + size)).toBeLessThan(60_000);
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );
});
