import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

/** Debian's package chromium, which `.ci/run` installs where it can, or the one that CHROMIUM names; undefined on a machine without. */
export const CHROMIUM = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
);

/** What the name of a suite says where it is skipped. */
export const WITHOUT_CHROMIUM = CHROMIUM ? '' : ' (skipped: no chromium on this machine)';

/** Milliseconds: how busy the machine is must not fail a test. */
export const LONG = 600_000;

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: LONG });

/** A page in a session of its own, and what went wrong in it or left its server. */
export async function openPage(browser: Browser, url: string): Promise<{ page: Page; strays: string[] }> {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  const strays: string[] = [];
  page.on('request', (request) => {
    if (/^(?:https?|wss?):/.test(request.url()) && !request.url().startsWith(url)) strays.push(request.url());
  });
  page.on('console', (message) => {
    if (/Content.Security.Policy|Could not create web worker/i.test(message.text())) strays.push(message.text());
  });
  page.on('pageerror', (error) => strays.push(String(error)));
  page.on('dialog', (dialog) => {
    strays.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, strays };
}
