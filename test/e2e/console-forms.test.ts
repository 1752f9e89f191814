import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { users } from '../../accounts/records.js';
import { sessions } from '../../accounts/session-record.js';
import { hashPassword } from '../../sign-in/password.js';
import { cloudAccounts } from '../../subgraphs/onboarding/accounts/records.js';
import { CHROMIUM, LONG, openBrowser, WITHOUT_CHROMIUM } from '../support/chromium.js';
import { openConsole } from '../support/console-page.js';
import { ocsf } from '../support/reports.js';
import { needing } from '../support/shared.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

const PASSWORD = 'a long enough password';
const ACCOUNT = '210987654321';

let world: World;
let tenant: TestTenant;
let admin: Client;
let owner: Client;
let browser: Browser;

needing(CHROMIUM).describe(`what the console changes beside findings${WITHOUT_CHROMIUM}`, () => {
  beforeAll(async () => {
    world = await openWorld();
    tenant = await world.tenant();
    [admin, owner, browser] = await Promise.all([tenant.as('tenant_admin'), tenant.as('org_admin'), openBrowser()]);
    await world.database.system(users).update({ _id: admin.user!._id }, { $set: { password_hash: await hashPassword(PASSWORD) } });
    await admin.import(
      ocsf([1, 2, 3].map((index) => ({ rule: `rule_${index}`, resource: `arn:aws:s3:::bucket-${index}`, severity: 'High' }))),
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
  const ofAdmin = async <Body>(path: string): Promise<Body> => (await admin.call<Body>(`/api/v1${path}`)).body;

  it(
    'asks who it is before it makes a webhook, shows its secret once, and its ledger',
    () =>
      on(admin, '#/settings/webhooks', async (page) => {
        await world.database.system(sessions).update({ user_id: admin.user!._id }, { $set: { authenticated_at: new Date(0) } });
        await page.getByRole('button', { name: 'Add webhook' }).click();
        const form = page.getByRole('dialog', { name: 'Add webhook' });
        await form.getByLabel('Address').fill('https://hooks.example.com/palisade');
        await form.getByLabel('every one').check();
        await form.getByRole('button', { name: 'Add webhook' }).click();
        const proof = page.getByRole('dialog', { name: 'Is it you' });
        await proof.getByLabel('Password').fill('not this one');
        await proof.getByRole('button', { name: 'Go on' }).click();
        await proof.getByText('is not your password').waitFor();
        await proof.getByLabel('Password').fill(PASSWORD);
        await proof.getByRole('button', { name: 'Go on' }).click();
        const once = page.getByRole('dialog', { name: 'Shown this once' });
        expect(await once.locator('pre').innerText()).toMatch(/^whsec_/);
        await once.getByRole('button', { name: 'Close' }).click();
        const { items } = await ofAdmin<{ items: { url: string; events: string[] }[] }>('/webhooks');
        expect(items).toMatchObject([{ url: 'https://hooks.example.com/palisade', events: ['*'] }]);

        await page.locator('td a.title').click();
        await admin.call('/api/v1/sla-policy', { method: 'PUT', body: { windows: { low: 300 } } });
        const delivered = page.locator('.panel .timeline summary', { hasText: 'sla.update' });
        // a worker takes it up in its own time
        while ((await delivered.count()) === 0) {
          await page.getByRole('button', { name: 'Look again' }).click();
          await page.waitForTimeout(500);
        }
        await page.locator('.panel').getByRole('button', { name: 'Pause', exact: true }).click();
        await page.locator('.panel').getByRole('button', { name: 'Resume', exact: true }).waitFor();
        await page.locator('.panel').getByRole('button', { name: 'Remove', exact: true }).click();
        await page.getByRole('button', { name: 'Remove it' }).click();
        await page.getByText('Nothing is told of what happens here yet').waitFor();
        expect((await ofAdmin<{ total: number }>('/webhooks')).total).toBe(0);
      }),
    LONG,
  );

  it(
    'tells what a notification rule would take before there is one',
    () =>
      on(admin, '#/settings/notifications', async (page) => {
        await page.getByRole('button', { name: 'Add rule' }).click();
        const form = page.getByRole('dialog', { name: 'Add rule' });
        await form.getByLabel('Name').fill('What is high');
        await form.getByLabel('Who gets mail').fill(admin.user!.email);
        await form.getByLabel('high', { exact: true }).check();
        await form.getByRole('button', { name: 'What matches now' }).click();
        await form.getByText('3 open findings match').waitFor();
        expect((await ofAdmin<{ total: number }>('/notification-rules')).total).toBe(0);
        await form.getByRole('button', { name: 'Add rule' }).click();
        await page.locator('td a.title', { hasText: 'What is high' }).waitFor();
        const { items } = await ofAdmin<{ items: object[] }>('/notification-rules');
        expect(items).toMatchObject([
          { name: 'What is high', event: 'new', recipients: [admin.user!.email], filter: { severity: ['high'] } },
        ]);
      }),
    LONG,
  );

  it(
    'says what an integration lacks that the other side does not take, and keeps none',
    () =>
      on(admin, '#/settings/integrations', async (page) => {
        await page.getByRole('button', { name: 'Add integration' }).click();
        const form = page.getByRole('dialog', { name: 'Add integration' });
        await form.locator('select').selectOption('webhook');
        expect(await form.getByLabel('Key of the project').count()).toBe(0);
        await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Ours');
        await form.getByLabel('Address').fill('https://127.0.0.1/hook');
        await form.getByLabel('Secret to sign with').fill(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
        await form.getByRole('button', { name: 'Add integration' }).click();
        await form.getByRole('alert').waitFor();
        expect((await ofAdmin<{ total: number }>('/integrations')).total).toBe(0);
      }),
    LONG,
  );

  it(
    'sets the windows for fixes, whom it asks for a second factor, and roles of groups',
    () =>
      on(admin, '#/settings/sla', async (page) => {
        await page.getByLabel('Days to fix what is critical').fill('5');
        await page.getByLabel('Days to fix what is medium').fill('');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.locator('.notice', { hasText: 'the windows for fixes' }).waitFor();
        expect(await ofAdmin('/sla-policy')).toMatchObject({ windows: { critical: 5, high: 30, medium: null } });

        await page.goto(`${world.url}/#/settings/mfa`);
        await page.getByLabel('Who shows a second factor').selectOption('admins');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.locator('.notice', { hasText: 'who shows a second factor' }).waitFor();
        expect(await ofAdmin('/settings/mfa-policy')).toMatchObject({ policy: 'admins' });

        await page.goto(`${world.url}/#/settings/sso`);
        await page.getByLabel('Groups and their roles').fill('cn=admins = tenant_admin\nreaders = viewer');
        await page.getByLabel('A SAML identity provider').check();
        await page.getByLabel('Entity id of the provider').fill('https://idp.example.com/');
        await page.getByLabel('Where browsers sign in').fill('https://idp.example.com/sso');
        await page.getByLabel('Certificates, as PEM').fill('none');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('alert').getByText('saml.idp_certificates').waitFor();
        await page.getByLabel('A SAML identity provider').uncheck();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.locator('.notice', { hasText: 'single sign-on' }).waitFor();
        expect(await ofAdmin('/settings/sso')).toMatchObject({
          saml: null,
          group_mappings: [
            { group: 'cn=admins', role: 'tenant_admin', priority: 1 },
            { group: 'readers', role: 'viewer', priority: 2 },
          ],
        });
      }),
    LONG,
  );

  it(
    'connects an account by the template of its cloud, and names each permission that is missing',
    () =>
      on(owner, '#/scans?view=connect', async (page) => {
        await page.getByRole('button', { name: 'Amazon Web Services' }).click();
        const { body } = await owner.call<{ external_id: string; templates: { content: string }[] }>('/api/v1/onboarding/templates/aws');
        await page.getByText(body.external_id, { exact: true }).waitFor();
        expect((await page.locator('main pre').innerText()).trimEnd()).toBe(body.templates[0]!.content.trimEnd());
        await page.getByLabel('Account id').fill(ACCOUNT);
        await page.getByLabel('ARN of the role').fill('arn:aws:iam::000000000000:role/palisade');
        const connect = page.getByRole('button', { name: 'Connect and validate' });
        await connect.click();
        await page.getByRole('alert').getByText('connection.role.role_arn').waitFor();
        await page.getByLabel('ARN of the role').fill(`arn:aws:iam::${ACCOUNT}:role/palisade`);
        await connect.click();
        await page.locator('.panel h2', { hasText: ACCOUNT }).waitFor();
        // what a trial finds is the collectors' to say; that it is shown is ours
        const missing = ['s3:GetBucketAcl', 'iam:ListUsers'];
        const rows = world.database.tenant(tenant.tenant._id).collection(cloudAccounts);
        await page.locator('.bulk', { hasText: /Done|Failed/ }).waitFor();
        await rows.update({ account_id: ACCOUNT }, { $set: { permissions_missing: missing } });
        await page.reload();
        await page.locator('.panel').getByText('2 permissions missing').waitFor();
        for (const permission of missing) await page.locator('.panel code', { hasText: permission }).waitFor();
      }),
    LONG,
  );

  it(
    'makes a schedule whose firings it shows before, pauses it and takes it away',
    () =>
      on(owner, '#/scans?view=schedules', async (page) => {
        await page.getByRole('button', { name: 'Add schedule' }).click();
        const form = page.getByRole('dialog', { name: 'Add schedule' });
        await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Every night');
        await form.getByRole('combobox', { name: /^When/ }).fill('30 4 * * *');
        await form.getByLabel('By the clock of').fill('Asia/Tokyo');
        const first = form.locator('time').first();
        await form.getByText('It fires next, Asia/Tokyo').waitFor();
        const shown = await first.getAttribute('datetime');
        await form.getByLabel('Account').fill(ACCOUNT);
        await form.getByRole('button', { name: 'Add schedule' }).click();
        await page.locator('td a.title', { hasText: 'Every night' }).click();
        const now = async () =>
          (await owner.call<{ items: { next_run_at: string | null; enabled: boolean }[] }>('/api/v1/schedules')).body.items;
        expect(await now()).toMatchObject([{ next_run_at: shown, enabled: true }]);
        await page.locator('.panel').getByRole('button', { name: 'Pause' }).click();
        await page.locator('.panel').getByRole('button', { name: 'Go on' }).waitFor();
        expect(await now()).toMatchObject([{ next_run_at: null, enabled: false }]);
        await page.locator('.panel').getByRole('button', { name: 'Remove' }).click();
        await page.getByRole('button', { name: 'Remove it' }).click();
        await page.getByText('No scan begins by itself yet').waitFor();
        expect(await now()).toEqual([]);
      }),
    LONG,
  );

  it(
    'makes a file of the findings under the filters, and leads to it',
    () =>
      on(admin, '#/findings?rule_id=rule_1&rule_id=rule_2', async (page) => {
        await page.locator('td a.title').first().waitFor();
        await page.locator('button.menu', { hasText: 'Export' }).click();
        await page.getByRole('button', { name: 'CSV' }).click();
        const link = page.getByRole('link', { name: 'Download the file' });
        await link.waitFor();
        const file = await admin.call(await link.getAttribute('href').then((href) => href!));
        expect(
          file.text
            .trim()
            .split('\r\n')
            .map((line) => /rule_\d/.exec(line)?.[0])
            .sort(),
        ).toEqual(['rule_1', 'rule_2', undefined]);
      }),
    LONG,
  );

  it(
    'attests a control that no rule assesses',
    async () => {
      interface Control {
        control_id: string;
        rule_count: number;
      }
      const { items } = await ofAdmin<{ items: { framework_id: string; manual_controls: number }[] }>(
        '/compliance/frameworks?page_size=200',
      );
      const framework = items.find(({ manual_controls }) => manual_controls > 0)!.framework_id;
      const controls = await ofAdmin<{ items: Control[] }>(`/compliance/framework/${framework}/controls?status=MANUAL`);
      const { control_id } = controls.items.find(({ rule_count }) => rule_count === 0)!;
      await on(admin, `#/compliance/${framework}/${encodeURIComponent(control_id)}`, async (page) => {
        await page.getByRole('button', { name: 'Attest' }).click();
        const form = page.getByRole('dialog');
        await form.getByLabel('What it rests on').fill('The board has seen it.');
        await form.getByRole('button', { name: 'Attest' }).click();
        await page.locator('main').getByText('The board has seen it.').waitFor();
        await page.goto(`${world.url}/#/compliance?view=attestations`);
        await page.locator('td', { hasText: 'The board has seen it.' }).waitFor();
      });
      const { items: said } = await ofAdmin<{ items: object[] }>('/compliance/attestations');
      expect(said).toMatchObject([{ framework_id: framework, control_id, status: 'met', author: admin.user!.email }]);
    },
    LONG,
  );

  it(
    'draws what an asset is related to, and leads on along it',
    async () => {
      await admin.import(readFileSync('demo/reports/gcp.tfstate.json'));
      const uid = 'https://sqladmin.googleapis.com/sql/v1beta4/projects/acme-analytics/instances/reports';
      await on(admin, `#/assets/${encodeURIComponent(uid)}`, async (page) => {
        const graph = page.locator('.graph');
        await graph.getByText('encrypted with').waitFor();
        await graph.focus();
        const width = Number(await graph.locator('svg').getAttribute('width'));
        await page.keyboard.press('+');
        await page.waitForFunction((before) => Number(document.querySelector('.graph svg')!.getAttribute('width')) > before, width);
        await page.getByRole('button', { name: '2 hops' }).click();
        await page.waitForURL(/depth=2/);
        await graph.locator('a').first().click();
        await page.waitForFunction((before) => !decodeURIComponent(location.hash).includes(before), uid);
        await page.locator('.node.jewel').waitFor();
      });
    },
    LONG,
  );
});
