import type { Browser, Page } from 'playwright-core';
import { CHROMIUM, LONG, openBrowser, WITHOUT_CHROMIUM } from '../support/chromium.js';
import { openConsole, settled } from '../support/console-page.js';
import { ocsf } from '../support/reports.js';
import { needing } from '../support/shared.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
let analyst: Client;
let newcomer: Client;
let browser: Browser;

needing(CHROMIUM).describe(`the states of the console's pages${WITHOUT_CHROMIUM}`, () => {
  beforeAll(async () => {
    world = await openWorld();
    const [tenant, empty] = await Promise.all([world.tenant(), world.tenant()]);
    [analyst, newcomer, browser] = await Promise.all([tenant.as('analyst'), empty.as('analyst'), openBrowser()]);
    await analyst.import(ocsf([{ rule: 'rule_1', resource: 'arn:aws:s3:::bucket-1', severity: 'High' }]));
  }, LONG);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  }, LONG);

  const on = async (client: Client, hash: string, act: (page: Page) => Promise<void>): Promise<void> => {
    const { page, strays } = await openConsole(browser, world.url, client, hash);
    await act(page);
    expect(strays).toEqual([]);
    await page.close();
  };

  it.each([
    ['#/findings', 'No findings yet'],
    ['#/assets', 'No asset is known under these filters'],
    ['#/settings/keys', 'takes the permission users:read'],
  ])(
    'an empty tenant is told at %s what that means: %s',
    (hash, words) =>
      on(newcomer, hash, async (page) => {
        await settled(page);
        await page.getByText(words).first().waitFor();
      }),
    LONG,
  );

  it(
    'nothing under filters names each of them, and one is loosened by a button',
    () =>
      on(analyst, '#/findings?severity=low&q=rule_1', async (page) => {
        await page.getByText('Nothing is found under these filters').waitFor();
        await page.getByRole('button', { name: 'Without severity low' }).click();
        await page.locator('td a.title').first().waitFor();
        expect(new URL(page.url()).hash).toBe('#/findings?q=rule_1');
      }),
    LONG,
  );

  it(
    'an answer that lacks engines names them above the rows that are there',
    () =>
      on(analyst, '#/scans', async (page) => {
        await settled(page);
        // the answer of the server, as it is when an engine is away
        await page.route('**/api/v1/findings?*', async (route) => {
          const answer = await route.fetch();
          await route.fulfill({
            response: answer,
            json: { ...((await answer.json()) as object), degradedEngines: ['container-security'] },
          });
        });
        await page.click('nav a:has-text("Findings")');
        await page.getByText('1 engine did not answer: container-security').waitFor();
        await page.locator('td a.title').first().waitFor();
      }),
    LONG,
  );

  it.each([
    [503, 'UPSTREAM_UNAVAILABLE', 'The part of Palisade that answers this is away'],
    [500, 'INTERNAL', 'Something went wrong on the server'],
    [429, 'RATE_LIMITED', 'Too many calls for the moment. Again in 7 seconds.'],
  ])(
    'a refusal with %i is explained, and tried again by a button',
    (status, error_code, words) =>
      on(analyst, '#/scans', async (page) => {
        await settled(page);
        let isAway = true;
        await page.route('**/api/v1/findings?*', (route) =>
          isAway
            ? route.fulfill({
                status,
                json: { page: 'findings', error_code, message: 'No', detail: { retry_after: 7 }, degraded_engines: [] },
              })
            : route.continue(),
        );
        await page.click('nav a:has-text("Findings")');
        await page.getByText(words).waitFor();
        isAway = false;
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.locator('td a.title').first().waitFor();
      }),
    LONG,
  );
});
