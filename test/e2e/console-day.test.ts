import type { Browser, Page } from 'playwright-core';
import { ssoSettings } from '../../accounts/providers/records.js';
import { users } from '../../accounts/records.js';
import { FINDING_STATUSES } from '../../schema/model.js';
import { hashPassword } from '../../sign-in/password.js';
import { CHROMIUM, LONG, openBrowser, openPage, WITHOUT_CHROMIUM } from '../support/chromium.js';
import { settled } from '../support/console-page.js';
import { ocsf } from '../support/reports.js';
import { startRealIdp, type RealIdp } from '../support/saml-real-idp.js';
import { idpKeys, samlTenant, type SamlTenant } from '../support/saml-tenant.js';
import { needing } from '../support/shared.js';
import { earlyInStep, totpCode } from '../support/totp.js';
import { openWorld, type Client, type World } from '../support/world.js';

const PASSWORD = 'a long enough password';
const COLLEAGUE = 'eleven purple kettles';
const LISTED = 12;
const TRIAGED = 10;
/** Lists leave out what is suppressed unless it is asked for. */
const STATUSES = new URLSearchParams(FINDING_STATUSES.map((status) => ['status', status])).toString();
const person = { email: '', first: 'Ada', last: 'Byron', groups: ['engineers'] };

interface Listed {
  readonly title: string;
  readonly engine: string;
  readonly finding_id: string;
  readonly status: string;
  readonly version: number;
}

// One day of an administrator and of a colleague, step after step: each begins with what the one before has left.
needing(CHROMIUM).describe(`a day in the console${WITHOUT_CHROMIUM}`, () => {
  let world: World;
  let browser: Browser;
  let idp: RealIdp;
  let tenant: SamlTenant;
  let admin: Client;
  let secret: string;
  let page: Page;
  let colleague: Page;
  let strays: string[];

  beforeAll(async () => {
    world = await openWorld();
    tenant = await samlTenant(world, { group_mappings: [{ group: 'engineers', role: 'analyst', priority: 1 }], default_role: null });
    person.email = `ada@${tenant.domain}`;
    idp = await startRealIdp(idpKeys(), person);
    await world.database
      .tenant(tenant.id)
      .collection(ssoSettings)
      .update({}, { $set: { 'saml.idp_entity_id': idp.entityId, 'saml.idp_sso_url': idp.ssoUrl } });
    admin = await tenant.as('tenant_admin');
    await world.database.system(users).update({ _id: admin.user!._id }, { $set: { password_hash: await hashPassword(PASSWORD) } });
    const enrolled = await admin.call<{ secret: string }>('/api/v1/users/me/mfa', { body: { method: 'totp' } });
    secret = enrolled.body.secret;
    await earlyInStep();
    await admin.call('/api/v1/users/me/mfa', { body: { method: 'totp', code: totpCode(secret, new Date(), -1) } });
    browser = await openBrowser();
    ({ page, strays } = await openPage(browser, world.url));
  }, LONG);
  afterAll(async () => {
    await browser?.close();
    await idp?.close();
    await world?.close();
  }, LONG);

  const findings = async (query = ''): Promise<readonly Listed[]> =>
    (await admin.call<{ items: Listed[] }>(`/api/v1/findings?page_size=100&${query}`)).body.items;
  /** How many findings have each status. */
  const tally = async () => {
    const counts: Record<string, number> = {};
    for (const { status } of await findings(STATUSES)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  it(
    'begins with a password and a second factor, and leads on to where one wanted to go',
    async () => {
      await page.goto(`${world.url}/#/scans`);
      await page.fill('input[name=email]', admin.user!.email);
      await page.fill('input[name=password]', PASSWORD);
      await page.click('button');
      await page.locator('input[name=code]').waitFor();
      await earlyInStep();
      await page.fill('input[name=code]', totpCode(secret));
      await page.click('button:has-text("Continue")');
      await page.locator('.who', { hasText: 'tenant admin' }).waitFor();
      await settled(page);
      expect(new URL(page.url()).hash).toBe('#/scans');
    },
    LONG,
  );

  it(
    'imports a file, and watches its run until it is over',
    async () => {
      const followed: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/events')) followed.push(request.url());
      });
      const records = Array.from({ length: LISTED }, (_, n) => ({
        rule: `day_${String(n).padStart(2, '0')}`,
        resource: `arn:aws:s3:::day-${n}`,
        severity: n === 0 ? 'Critical' : 'High',
      }));
      const buffer = Buffer.from(JSON.stringify(ocsf(records)));
      await page.locator('input[type=file]').setInputFiles({ name: 'report.json', mimeType: 'application/json', buffer });
      await page.locator('.sent .state.completed').waitFor();
      expect(followed.length).toBeGreaterThan(0);
      await page.locator('.sent a').first().click();
      await page.locator('main [role=status] .state.completed').waitFor();
      await page.locator('.tile', { hasText: 'New' }).getByText(String(LISTED), { exact: true }).waitFor();
      expect(await tally()).toEqual({ OPEN: LISTED });
    },
    LONG,
  );

  it(
    'triages ten by keys, takes that back, and triages them again',
    async () => {
      await page.goto(`${world.url}/#/findings?status=OPEN&sort=-risk_score`);
      await page
        .locator('td a.title')
        .nth(LISTED - 1)
        .waitFor();
      const select = async () => {
        for (let n = 0; n < TRIAGED; n++) {
          await page.keyboard.press('j');
          await page.locator(`tbody tr:not(.space):nth-of-type(${n + 1}).current`).waitFor();
          await page.keyboard.press('x');
        }
        await page.locator('.bulk b', { hasText: `${TRIAGED} selected` }).waitFor();
      };
      const triage = async () => {
        await page.keyboard.press('s');
        await page.getByRole('radio', { name: 'In progress' }).check();
        await page.getByLabel('Why').fill('looked at this morning');
        await page.getByRole('button', { name: `set ${TRIAGED} findings` }).click();
        await page
          .locator('.notice', { hasText: `${TRIAGED} findings changed` })
          .first()
          .waitFor();
      };
      await select();
      await triage();
      expect(await tally()).toEqual({ OPEN: LISTED - TRIAGED, IN_PROGRESS: TRIAGED });
      await page.locator('.notice button', { hasText: 'Undo' }).click();
      await page
        .locator('td a.title')
        .nth(LISTED - 1)
        .waitFor();
      expect(await tally()).toEqual({ OPEN: LISTED });
      await page.reload();
      await page
        .locator('td a.title')
        .nth(LISTED - 1)
        .waitFor();
      await select();
      await triage();
      expect(await tally()).toEqual({ OPEN: LISTED - TRIAGED, IN_PROGRESS: TRIAGED });
    },
    LONG,
  );

  it(
    'suppresses one with a reason and an end',
    async () => {
      const [one] = await findings('status=OPEN');
      await page.goto(`${world.url}/#/findings?status=OPEN&open=${one!.engine}/${one!.finding_id}`);
      await page.locator('.panel .timeline li').first().waitFor();
      await page.keyboard.press('e');
      const form = page.getByRole('dialog', { name: 'Suppress' });
      await form.getByLabel('Reason').fill('a fixture of the day');
      await form.getByLabel('Until').fill('2031-02-03');
      await form.getByRole('button', { name: 'Suppress 1 finding' }).click();
      await page.locator('.notice', { hasText: 'Suppressed 1 finding' }).waitFor();
      const { body } = await admin.call<{ items: object[] }>('/api/v1/suppressions');
      expect(body.items).toMatchObject([{ reason: 'a fixture of the day', expires_at: '2031-02-03T00:00:00.000Z', matched_count: 1 }]);
      expect(await tally()).toEqual({ OPEN: LISTED - TRIAGED - 1, IN_PROGRESS: TRIAGED, SUPPRESSED: 1 });
    },
    LONG,
  );

  it(
    'invites a colleague, who comes in by the link, and takes another invitation back',
    async () => {
      const invite = async (email: string, role: string): Promise<string> => {
        await page.getByRole('button', { name: 'Invite a colleague' }).click();
        const form = page.getByRole('dialog', { name: 'Invite a colleague' });
        await form.getByLabel('E-mail address').fill(email);
        await form.getByLabel('Role').selectOption(role);
        await form.getByRole('button', { name: 'Invite' }).click();
        const made = page.getByRole('dialog', { name: `${email} is invited` });
        const link = await made.locator('pre').innerText();
        await page.keyboard.press('Escape');
        await made.waitFor({ state: 'detached' });
        return link;
      };
      await page.goto(`${world.url}/#/settings/people`);
      const address = `colleague@${tenant.domain}`;
      const link = await invite(address, 'analyst');
      const opened = await openPage(browser, world.url);
      colleague = opened.page;
      await colleague.goto(new URL(link).href.replace(new URL(link).origin, world.url));
      await colleague.fill('input[name=name]', 'Grace Colleague');
      await colleague.fill('input[name=password]', COLLEAGUE);
      await colleague.click('button');
      await colleague.locator('.who', { hasText: 'Grace Colleague' }).waitFor();

      await page.reload();
      await page.locator('td', { hasText: address }).waitFor();
      const other = `stranger@${tenant.domain}`;
      await invite(other, 'viewer');
      await page.goto(`${world.url}/#/settings/invitations`);
      await page.locator('td a.title', { hasText: other }).click();
      await page.locator('.panel').getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Revoke it' }).click();
      await page.locator('tr', { hasText: other }).getByText('Revoked').waitFor();
      expect(opened.strays).toEqual([]);
    },
    LONG,
  );

  it(
    'has two people at one finding: the later one is told what the earlier one did, and nothing is lost',
    async () => {
      const [one] = await findings('status=IN_PROGRESS');
      const hash = `#/findings?open=${one!.engine}/${one!.finding_id}`;
      for (const each of [page, colleague]) {
        await each.goto(`${world.url}/${hash}`);
        await each.locator('.panel .timeline li').first().waitFor();
      }
      const setTo = async (each: Page, status: string, note: string) => {
        await each.locator('.panel button', { hasText: 'Status' }).click();
        await each.getByRole('radio', { name: status }).check();
        await each.getByLabel('Why').fill(note);
        await each.getByRole('button', { name: /set it$/ }).click();
      };
      await setTo(colleague, 'False positive', 'a test bucket');
      await colleague.locator('.notice', { hasText: 'False positive' }).waitFor();
      await setTo(page, 'Suppressed', 'not today');
      const conflict = page.getByRole('dialog', { name: 'Somebody was faster' });
      await conflict.getByText('a test bucket').waitFor();
      await conflict.getByText(`colleague@${tenant.domain}`).waitFor();
      const path = `/api/v1/views/finding/${one!.engine}/${one!.finding_id}`;
      const now = async () => (await admin.call<{ header: { status: string } }>(path)).body.header.status;
      expect(await now()).toBe('FALSE_POSITIVE');
      await conflict.getByRole('button', { name: 'Change it all the same' }).click();
      await page.locator('.notice', { hasText: 'Suppressed' }).waitFor();
      expect(await now()).toBe('SUPPRESSED');
      const timeline = page.locator('.panel .timeline');
      for (const note of ['a test bucket', 'not today']) await timeline.getByText(note).waitFor();
    },
    LONG,
  );

  it(
    'changes the role of the colleague, and what that may do at once',
    async () => {
      await page.goto(`${world.url}/#/settings/people`);
      await page.locator('td a.title', { hasText: 'Grace Colleague' }).click();
      await page.locator('.panel').getByRole('button', { name: 'Change' }).click();
      const form = page.getByRole('dialog', { name: 'Change person' });
      await form.getByLabel('Role').selectOption('viewer');
      await form.getByRole('button', { name: 'Change person' }).click();
      await page.locator('tr', { hasText: 'Grace Colleague' }).getByText('Viewer').waitFor();
      const { body } = await admin.call<{ items: { email: string; role: string }[] }>('/api/v1/users');
      expect(body.items.find(({ email }) => email.startsWith('colleague@'))).toMatchObject({ role: 'viewer' });
    },
    LONG,
  );

  it(
    'tries the single sign-on, and reads what came of it',
    async () => {
      await page.goto(`${world.url}/#/settings/sso`);
      const [tried] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('link', { name: 'Test the sign-in through SAML' }).click(),
      ]);
      tried.setDefaultTimeout(120_000);
      await tried.click(`text=Sign in as ${person.first}`).catch(async (problem: Error) => {
        throw new Error(`${tried.url()}: ${await tried.locator('body').innerText()}\n${problem.message}`);
      });
      await tried.getByText('Nobody was signed in').waitFor();
      await tried.close();
      await page.reload();
      const facts = page.locator('.facts', { hasText: 'Last test' });
      await facts.getByText(`groups: engineers`).waitFor();
      expect(strays).toEqual([]);
    },
    LONG,
  );
});
