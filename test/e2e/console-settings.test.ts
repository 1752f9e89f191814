import type { Browser, Page } from 'playwright-core';
import { users } from '../../accounts/records.js';
import { hashPassword } from '../../sign-in/password.js';
import { CHROMIUM, LONG, openBrowser, WITHOUT_CHROMIUM } from '../support/chromium.js';
import { openConsole, settled } from '../support/console-page.js';
import { ocsf } from '../support/reports.js';
import { needing } from '../support/shared.js';
import { totpCode } from '../support/totp.js';
import { Client, openWorld, type TestTenant, type World } from '../support/world.js';

const PASSWORD = 'a long enough password';

let world: World;
let tenant: TestTenant;
let owner: Client;
let browser: Browser;

needing(CHROMIUM).describe(`settings and files in the console${WITHOUT_CHROMIUM}`, () => {
  beforeAll(async () => {
    world = await openWorld();
    tenant = await world.tenant();
    [owner, browser] = await Promise.all([tenant.as('org_admin'), openBrowser()]);
    await owner.import(
      ocsf([1, 2].map((index) => ({ rule: `rule_${index}`, resource: `arn:aws:s3:::bucket-${index}`, severity: 'High' }))),
    );
  }, LONG);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  }, LONG);

  /** Opens a page, does something on it, and sees that nothing left the server or the policy. */
  const on = async (client: Client, hash: string, act: (page: Page) => Promise<void>): Promise<void> => {
    const { page, strays } = await openConsole(browser, world.url, client, hash);
    await act(page);
    expect(strays).toEqual([]);
    await page.close();
  };
  /** The file that the page made last. */
  const fileOn = async (page: Page): Promise<string> => {
    const link = page.getByRole('link', { name: 'Download the file' });
    await link.waitFor();
    return (await owner.call((await link.getAttribute('href'))!)).text;
  };

  it(
    'makes a key that is shown once and may what was ticked, and deletes it',
    () =>
      on(owner, '#/settings/keys', async (page) => {
        await page.getByRole('button', { name: 'Add API key' }).click();
        const form = page.getByRole('dialog', { name: 'Add API key' });
        await form.getByLabel('Name').fill('pipeline');
        await form.getByLabel('Works until').fill(new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10));
        await form.getByLabel('check:read').check();
        await form.getByRole('button', { name: 'Add API key' }).click();
        const once = page.getByRole('dialog', { name: 'Shown this once' });
        const headers = { authorization: `Bearer ${await once.locator('pre').innerText()}` };
        const reads = async (path: string) => (await world.anonymous.call(path, { headers })).status;
        expect([await reads('/api/v1/check/findings'), await reads('/api/v1/audit-logs')]).toEqual([200, 403]);
        await once.getByRole('button', { name: 'Close' }).click();
        await page.locator('td a.title', { hasText: 'pipeline' }).click();
        await page.locator('.panel').getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByRole('button', { name: 'Delete it' }).click();
        await page.getByText('No program has a key yet').waitFor();
        expect(await reads('/api/v1/check/findings')).toBe(401);
      }),
    LONG,
  );

  it(
    'claims a domain, shows the record that proves it, and releases it',
    () =>
      on(owner, '#/settings/domains', async (page) => {
        await page.getByRole('button', { name: 'Add domain' }).click();
        const form = page.getByRole('dialog', { name: 'Add domain' });
        await form.getByLabel('Domain').fill('palisade-console-test.dev');
        await form.getByRole('button', { name: 'Add domain' }).click();
        await page.locator('td a.title', { hasText: 'palisade-console-test.dev' }).click();
        const { body } = await owner.call<{ items: { record: { name: string; value: string } }[] }>('/api/v1/settings/domains');
        const { name, value } = body.items[0]!.record;
        for (const text of [name, value]) await page.locator('.panel').getByText(text, { exact: true }).waitFor();
        await page.locator('.panel').getByRole('button', { name: 'Release', exact: true }).click();
        await page.getByRole('button', { name: 'Release it' }).click();
        await page.getByText('No domain is claimed').waitFor();
      }),
    LONG,
  );

  it(
    'sets where the audit log goes, and shows the secret that signs it once',
    () =>
      on(owner, '#/settings/siem', async (page) => {
        await page.getByLabel('Address').fill('https://siem.example.com/hook');
        await page.getByLabel('Entries are sent').uncheck();
        await page.getByRole('button', { name: 'Save' }).click();
        const once = page.getByRole('dialog', { name: 'Shown this once' });
        expect(await once.locator('pre').innerText()).toMatch(/^whsec_/);
        await once.getByRole('button', { name: 'Close' }).click();
        await page.getByText('entries wait').waitFor();
        const { body } = await owner.call('/api/v1/audit-logs/siem-export');
        expect(body).toMatchObject({ kind: 'webhook', enabled: false, webhook: { url: 'https://siem.example.com/hook' } });
      }),
    LONG,
  );

  it(
    'sets up a second factor of one’s own, and shows its recovery codes once',
    async () => {
      const person = await tenant.as('analyst');
      await on(person, '#/settings', async (page) => {
        await page.getByText('your password alone lets in').waitFor();
        await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
        const dialog = page.getByRole('dialog', { name: 'An authenticator app' });
        await dialog.getByRole('button', { name: 'Go on' }).click();
        const secret = await dialog.locator('code').first().innerText();
        await dialog.getByLabel('A code of the new factor').fill('000000');
        await dialog.getByRole('button', { name: 'Confirm' }).click();
        await dialog.getByRole('alert').waitFor();
        await dialog.getByLabel('A code of the new factor').fill(totpCode(secret));
        await dialog.getByRole('button', { name: 'Confirm' }).click();
        const once = page.getByRole('dialog', { name: 'Shown this once' });
        expect((await once.locator('pre').innerText()).split('\n')).toHaveLength(10);
        await once.getByRole('button', { name: 'Close' }).click();
        await page.getByText('An authenticator app, asked for at each sign-in.').waitFor();
        expect((await person.call('/api/v1/users/me')).body).toMatchObject({ mfa: 'totp' });
      });
    },
    LONG,
  );

  it(
    'shows where one is signed in, and ends a session',
    async () => {
      const elsewhere = await tenant.as('viewer');
      await world.database.system(users).update({ _id: elsewhere.user!._id }, { $set: { password_hash: await hashPassword(PASSWORD) } });
      const body = { email: elsewhere.user!.email, password: PASSWORD };
      const here = new Client(world.url, null, elsewhere.user).withCookieOf(await world.anonymous.call('/api/auth/login', { body }));
      await on(here, '#/settings', async (page) => {
        const row = page.locator('table.short tr', { has: page.getByRole('button', { name: 'End it' }) });
        await row.getByRole('button', { name: 'End it' }).click();
        await page.locator('.notice', { hasText: 'Ended' }).waitFor();
        expect((await elsewhere.call('/api/v1/users/me')).status).toBe(401);
        await row.waitFor({ state: 'detached' });
        await page.getByText('this one').waitFor();
      });
    },
    LONG,
  );

  it(
    'makes files of the assets and of the audit log under their filters',
    async () => {
      await on(owner, '#/assets?q=bucket-1', async (page) => {
        await settled(page);
        await page.getByRole('button', { name: /^Export/ }).click();
        await page.getByRole('button', { name: 'CSV', exact: true }).click();
        const file = await fileOn(page);
        expect([file.includes('arn:aws:s3:::bucket-1'), file.includes('arn:aws:s3:::bucket-2')]).toEqual([true, false]);
      });
      await on(owner, '#/settings/audit?action=scan.trigger', async (page) => {
        await settled(page);
        await page.getByRole('button', { name: /^Export/ }).click();
        await page.getByRole('button', { name: 'CSV', exact: true }).click();
        const rows = (await fileOn(page)).trim().split('\r\n').slice(1);
        expect(rows).toHaveLength(1);
        expect(rows[0]).toContain('scan.trigger');
      });
    },
    LONG,
  );

  it(
    'decides on a crown jewel and sets the figures of risk',
    async () => {
      const attributes = { arn: 'arn:aws:s3:::patients', bucket: 'patients', tags: { 'data-classification': 'phi' } };
      const bucket = { mode: 'managed', type: 'aws_s3_bucket', name: 'patients', instances: [{ attributes }] };
      const provider = 'provider["registry.terraform.io/hashicorp/aws"]';
      await owner.import({ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'risk', resources: [{ ...bucket, provider }] });
      await on(owner, '#/risk', async (page) => {
        await page.getByRole('button', { name: 'Decide on patients' }).click();
        const form = page.getByRole('dialog', { name: 'Decide on patients' });
        await form.getByLabel('What its loss costs').fill('250000');
        await form.getByLabel('How bad its loss is').selectOption('critical');
        await form.getByLabel('Why').fill('The clinic stands still without it');
        await form.getByRole('button', { name: 'Decide', exact: true }).click();
        await page.getByText('USD 250K').waitFor();
        const jewels = '/api/v1/risk/crown-jewels';
        const told = { tier: 'critical', state: 'accepted', value: 250_000, reason: 'The clinic stands still without it' };
        expect((await owner.call<{ items: object[] }>(jewels)).body.items).toMatchObject([told]);

        await page.goto(`${world.url}/#/settings/risk`);
        await page.getByLabel('Currency of all amounts').fill('EUR');
        await page.getByLabel('What a US dollar costs in it').fill('0.9');
        await page.getByLabel('Serious attempts a year: internet').fill('2');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.locator('.notice', { hasText: 'the figures of risk' }).waitFor();
        const { body } = await owner.call<{ currency: string; threat_frequencies: object[] }>('/api/v1/settings/risk');
        expect(body).toMatchObject({ currency: 'EUR', per_usd: 0.9 });
        expect(body.threat_frequencies).toContainEqual(expect.objectContaining({ name: 'internet', own: 2 }));
        await page.getByLabel('Serious attempts a year: internet').fill('');
        const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
        await page.getByRole('button', { name: 'Save' }).click();
        await saved;
        const again = await owner.call<{ threat_frequencies: object[] }>('/api/v1/settings/risk');
        expect(again.body.threat_frequencies).toContainEqual(expect.objectContaining({ name: 'internet', own: null }));
      });
    },
    LONG,
  );
});
