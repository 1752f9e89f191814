import type { Browser, Page } from 'playwright-core';
import { openPage } from './chromium.js';
import type { Client } from './world.js';

/** A page of the console, of somebody who is signed in already. */
export async function openConsole(browser: Browser, url: string, client: Client, hash = '#/') {
  const opened = await openPage(browser, url);
  const [name, value] = client.cookie!.split('=') as [string, string];
  await opened.page.context().addCookies([{ name, value, url, sameSite: 'Lax', httpOnly: true }]);
  await opened.page.goto(`${url}/${hash}`);
  return opened;
}

/** Until all that the page asked for is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main .message').first().waitFor();
  const busy = page.locator('[aria-busy=true]');
  while ((await busy.count()) > 0) await busy.first().waitFor({ state: 'detached' });
}
