import type { Browser, Page } from 'playwright-core';
import { CHROMIUM, LONG, openBrowser, WITHOUT_CHROMIUM } from '../support/chromium.js';
import { openConsole, settled } from '../support/console-page.js';
import { ocsf } from '../support/reports.js';
import { needing } from '../support/shared.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

/** Milliseconds that each request takes longer on a slow network. */
const LATENCY = 400;

let world: World;
let tenant: TestTenant;
let analyst: Client;
let browser: Browser;

needing(CHROMIUM).describe(`the console on a bad network${WITHOUT_CHROMIUM}`, () => {
  beforeAll(async () => {
    world = await openWorld();
    tenant = await world.tenant();
    [analyst, browser] = await Promise.all([tenant.as('analyst'), openBrowser()]);
    await analyst.import(
      ocsf([1, 2, 3].map((index) => ({ rule: `rule_${index}`, resource: `arn:aws:s3:::bucket-${index}`, severity: 'High' }))),
    );
  }, LONG);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  }, LONG);

  const slow = async (page: Page): Promise<void> => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  };
  /** Lets requests to a path wait until it is called. */
  const hold = async (page: Page, path: string): Promise<() => void> => {
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route(path, async (route) => {
      await held;
      await route.continue();
    });
    return goOn;
  };

  it(
    'shows a change at once, long before the server has it, and leaves typing alone',
    async () => {
      const { page, strays } = await openConsole(browser, world.url, analyst, '#/findings?status=OPEN&status=IN_PROGRESS&q=rule_1');
      await settled(page);
      await slow(page);
      await page.keyboard.press('j');
      await page.locator('tr.current').waitFor();
      await page.keyboard.press('s');
      await page.getByRole('radio', { name: 'In progress' }).check();
      const answered = page.waitForResponse((response) => response.url().endsWith('/status'));
      let isAnswered = false;
      void answered.then(() => (isAnswered = true));
      await page.getByRole('button', { name: /set it$/ }).click();
      await page.locator('tr.current .state', { hasText: 'In progress' }).waitFor();
      expect(isAnswered).toBe(false);
      await answered;
      await page.locator('.notice', { hasText: 'In progress' }).waitFor();

      const search = page.getByRole('searchbox');
      await search.fill('');
      await search.pressSequentially('rule_2 and more', { delay: 10 });
      expect(await search.inputValue()).toBe('rule_2 and more');
      await search.fill('rule_2');
      await page.locator('td a.title', { hasText: 'rule_2' }).waitFor();
      expect(await page.locator('td a.title').count()).toBe(1);
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'shows the frame first, then an outline, then says what is slow, and shifts nothing when it is there',
    async () => {
      const { page, strays } = await openConsole(browser, world.url, analyst, '#/scans');
      await settled(page);
      await slow(page);
      const goOn = await hold(page, '**/api/v1/findings?*');
      await page.click('nav a:has-text("Findings")');
      await page.getByRole('heading', { name: 'Findings' }).waitFor();
      const before = await page.getByRole('heading', { name: 'Findings' }).boundingBox();
      await page.locator('.waiting i').first().waitFor();
      await page.getByText('The server is still working on findings').waitFor();
      goOn();
      await page.locator('td a.title').first().waitFor();
      expect(await page.getByRole('heading', { name: 'Findings' }).boundingBox()).toMatchObject({ x: before!.x, y: before!.y });
      expect(await page.getByText('The server is still working').count()).toBe(0);
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'takes a change back with the reason while it is offline, keeps what it has shown, and goes on when it is back',
    async () => {
      const { page } = await openConsole(browser, world.url, analyst, '#/findings?q=rule_3');
      await settled(page);
      await page.keyboard.press('j');
      await page.locator('tr.current').waitFor();
      await page.context().setOffline(true);
      await page.keyboard.press('s');
      await page.getByRole('radio', { name: 'In progress' }).check();
      await page.getByRole('button', { name: /set it$/ }).click();
      await page.locator('.notice.problem', { hasText: 'The server was not reached' }).waitFor();
      await page.locator('tr.current .state', { hasText: 'Open' }).waitFor();
      await page.getByRole('searchbox').fill('rule_2');
      await page.getByRole('alert').getByText('The server was not reached').waitFor();
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.locator('td a.title', { hasText: 'rule_2' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.close();
    },
    LONG,
  );

  it(
    'opens a page offline whose script is not here yet with a way to try again',
    async () => {
      const { page } = await openConsole(browser, world.url, analyst, '#/findings');
      await settled(page);
      await page.context().setOffline(true);
      await page.click('nav a:has-text("Scans")');
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Drop reports here').waitFor();
      await page.close();
    },
    LONG,
  );
});
