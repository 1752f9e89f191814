import type { Browser, Request } from 'playwright-core';
import { users } from '../../accounts/records.js';
import { daysAgo } from '../../console/app/format.js';
import { hashPassword } from '../../sign-in/password.js';
import { axeViolations } from '../support/axe.js';
import { CHROMIUM, LONG, openBrowser, openPage, WITHOUT_CHROMIUM } from '../support/chromium.js';
import { openConsole, settled } from '../support/console-page.js';
import { ocsf } from '../support/reports.js';
import { needing } from '../support/shared.js';
import { openWorld, type Client, type ImportedRun, type TestTenant, type World } from '../support/world.js';

const PASSWORD = 'a long enough password';
/** What would do something if it were anything but text. */
const XSS = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  "javascript:alert(3)//'",
  '<svg/onload=alert(4)>',
  '{{7*7}}${7*7}',
];
const LISTED = 24;

let world: World;
let tenant: TestTenant;
let analyst: Client;
let run: ImportedRun;

beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  analyst = await tenant.as('analyst');
  await world.database.system(users).update({ _id: analyst.user!._id }, { $set: { password_hash: await hashPassword(PASSWORD) } });
  const severities = ['Critical', 'High', 'Medium', 'Low', 'Informational'];
  const plain = Array.from({ length: LISTED - XSS.length }, (_, index) => ({
    rule: `rule_${index}`,
    resource: `arn:aws:s3:::bucket-${index}`,
    severity: severities[index % severities.length]!,
  }));
  const hostile = XSS.map((title, index) => ({ rule: `hostile_${index}`, resource: `arn:aws:s3:::${title}`, title, severity: 'High' }));
  run = await analyst.import(ocsf([...plain, ...hostile]));
}, LONG);
afterAll(() => world?.close());

describe('what stands at /', () => {
  it('is the console for browsers, with scripts and styles of this server alone', async () => {
    const page = await world.anonymous.call('/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect([page.status, page.headers.get('content-type'), page.headers.get('vary')]).toEqual([200, 'text/html; charset=utf-8', 'accept']);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe|https?:|\*/);
    expect(page.text).not.toMatch(/<script(?![^>]*src=)|style=| on\w+=/);
  });

  it.each(['application/json', '*/*', ''])('is the list of where everything is for programs that ask for %j', async (accept) => {
    const answer = await world.anonymous.call('/', { headers: { accept } });
    expect(answer.body).toMatchObject({ name: 'Palisade', api: '/api/v1', graph: '/graphql' });
  });
});

needing(CHROMIUM).describe(`the console in Chromium${WITHOUT_CHROMIUM}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, LONG);
  afterAll(() => browser?.close(), LONG);

  const openAs = (client: Client, hash?: string) => openConsole(browser, world.url, client, hash);
  /** A finding by its exact title, as the API has it. */
  const findingNow = async (title: string) => {
    const { body } = await analyst.call<{
      items: { title: string; engine: string; finding_id: string; status: string; version: number }[];
    }>(`/api/v1/findings?${new URLSearchParams({ q: title }).toString()}`);
    return body.items.find((finding) => finding.title === title)!;
  };

  it(
    'leads through the sign-in to where one wanted to go, and shows the numbers that the API has',
    async () => {
      const { page, strays } = await openPage(browser, world.url);
      await page.goto(`${world.url}/#/findings?severity=critical`);
      await page.fill('input[name=email]', analyst.user!.email);
      await page.fill('input[name=password]', PASSWORD);
      await page.click('button');
      await page.locator('.count', { hasText: /^\d+$/ }).waitFor();
      expect(new URL(page.url()).hash).toBe('#/findings?severity=critical');
      const listed = await analyst.call<{ total: number }>('/api/v1/findings?severity=critical');
      expect(await page.locator('.count').innerText()).toBe(String(listed.body.total));

      await page.click('nav a:has-text("Overview")');
      await settled(page);
      const { body } = await analyst.call<{ posture_score: number; severity_counts: Record<string, number> }>('/api/v1/dashboard');
      for (const severity of ['critical', 'high', 'medium', 'low', 'info']) {
        const link = page.locator('.severities li', { hasText: severity }).locator('a');
        expect([severity, await link.innerText()]).toEqual([severity, String(body.severity_counts[severity])]);
      }
      // a number leads to the list that it counts
      await page.locator('.severities li', { hasText: 'high' }).locator('a').click();
      await page.locator('.count', { hasText: String(body.severity_counts['high']) }).waitFor();
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'is there with the overview for at most 120 kB',
    async () => {
      const { page } = await openAs(analyst);
      await settled(page);
      const files = await page.evaluate(() =>
        performance.getEntriesByType('resource').flatMap((entry) => {
          const { name, encodedBodySize } = entry as unknown as { name: string; encodedBodySize: number };
          return name.includes('/gateway/assets/') ? [encodedBodySize] : [];
        }),
      );
      expect(files.length).toBeGreaterThan(2);
      expect(files.reduce((sum, size) => sum + size)).toBeLessThan(120_000);
      await page.close();
    },
    LONG,
  );

  it(
    'paints its frame for at most 500 ms of the page’s thread, before the API has said anything',
    async () => {
      const { page, strays } = await openPage(browser, world.url);
      await page.route('**/api/**', () => undefined);
      const devtools = await page.context().newCDPSession(page);
      // the thread's own time: how busy the machine is does not count
      await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
      await page.goto(`${world.url}/#/`);
      await page.locator('nav.pages a').first().waitFor();
      await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
      const { metrics } = await devtools.send('Performance.getMetrics');
      const spent = metrics.find(({ name }) => name === 'TaskDuration')!.value * 1_000;
      expect(spent).toBeGreaterThan(1);
      expect(spent).toBeLessThan(500);
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'asks the graph by the hash of its documents, whose text goes over the wire once',
    async () => {
      const { page, strays } = await openAs(analyst, '#/scans');
      await settled(page);
      const sent: { query?: string; extensions: { persistedQuery: { sha256Hash: string } } }[] = [];
      page.on('request', (request) => {
        if (request.url() === `${world.url}/graphql`) sent.push(request.postDataJSON() as (typeof sent)[number]);
      });
      for (let times = 0; times < 2; times++) {
        await page.goto(`${world.url}/#/`);
        await page.reload();
        await page.locator('.tile', { hasText: 'Last 7 days' }).getByText(/new$/).waitFor();
      }
      const listed = await analyst.call<{ total: number }>(`/api/v1/findings?first_seen_after=${daysAgo(7)}&page_size=1`);
      await page.locator('.tile', { hasText: 'Last 7 days' }).getByText(`${listed.body.total} new`).waitFor();
      expect(new Set(sent.map(({ extensions }) => extensions.persistedQuery.sha256Hash)).size).toBe(1);
      expect(sent.filter(({ query }) => query !== undefined).length).toBeLessThanOrEqual(1);
      expect(sent.at(-1)!.query).toBeUndefined();
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'has the columns that the address names, which are chosen in a menu',
    async () => {
      const { page, strays } = await openAs(analyst, '#/findings?columns=severity&columns=region');
      await page.locator('td a.title').first().waitFor();
      const heads = () => page.locator('.long thead th').allInnerTexts();
      expect((await heads()).map((head) => head.trim())).toEqual(['Selected', 'Severity', 'Finding', 'Region']);
      await page.getByRole('button', { name: /^Columns/ }).click();
      await page.getByRole('group', { name: 'Columns', exact: true }).getByText('Rule', { exact: true }).click();
      await page.locator('.long thead th', { hasText: 'Rule' }).waitFor();
      expect(new URL(page.url()).hash).toContain('columns=rule');
      await page.getByRole('button', { name: 'The usual ones' }).click();
      await page.locator('.long thead th', { hasText: 'Status' }).waitFor();
      expect(new URL(page.url()).hash).toBe('#/findings');
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'triages a finding by keys alone, and takes it back',
    async () => {
      const { page, strays } = await openAs(analyst, '#/findings?q=rule_1&status=OPEN');
      await page
        .locator('td a.title')
        .first()
        .waitFor()
        .catch(async () => {
          throw new Error(await page.locator('body').innerText());
        });
      await page.keyboard.press('j');
      await page.locator('tr.current').waitFor();
      const title = await page.locator('tr.current a.title').innerText();
      await page.keyboard.press('s');
      await page.getByLabel('Why').fill('on it');
      await page.getByRole('button', { name: /set it$/ }).click();
      await page.locator('.notice', { hasText: title }).waitFor();
      expect(await findingNow(title)).toMatchObject({ status: 'IN_PROGRESS', version: 2 });
      await page.locator('.notice button', { hasText: 'Undo' }).click();
      await page.locator('.notice', { hasText: 'Open' }).waitFor();
      expect(await findingNow(title)).toMatchObject({ status: 'OPEN', version: 3 });
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'tells who was faster, and loses neither change',
    async () => {
      const { page, strays } = await openAs(analyst, '#/findings?q=Title+of+rule_7');
      await page.locator('td a.title').first().click();
      await page.locator('.panel h2').waitFor();
      const { engine, finding_id, version } = await findingNow('Title of rule_7');
      const path = `/api/v1/views/finding/${engine}/${finding_id}/status`;
      const colleague = await tenant.as('tenant_admin');
      await colleague.call(path, {
        method: 'PATCH',
        body: { status: 'FALSE_POSITIVE', note: 'seen by hand' },
        headers: { 'if-match': `"${version}"` },
      });
      await page.locator('.panel button', { hasText: 'Status' }).click();
      await page.getByRole('radio', { name: 'Suppressed' }).check();
      await page.getByRole('button', { name: /set it$/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Somebody was faster' });
      await dialog.getByText('seen by hand').waitFor();
      await dialog.getByText(colleague.user!.email).waitFor();
      expect(await findingNow('Title of rule_7')).toMatchObject({ status: 'FALSE_POSITIVE' });
      await dialog.getByRole('button', { name: 'Change it all the same' }).click();
      await page.locator('.notice', { hasText: 'Suppressed' }).waitFor();
      const suppressed = await analyst.call<{ header: { status: string } }>(`/api/v1/views/finding/${engine}/${finding_id}`);
      expect(suppressed.body.header.status).toBe('SUPPRESSED');
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'acts on the finding that is open, though it is still on its way, and keeps what is half written with its own',
    async () => {
      const { page, strays } = await openAs(analyst, '#/findings?q=Title+of+rule_1&sort=risk_score');
      const links = page.locator('td a.title');
      await links.first().click();
      await page.locator('.panel h2').waitFor();
      const second = await links.nth(1).innerText();
      let goOn: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (goOn = resolve));
      await page.route('**/api/v1/views/finding/**', async (route) => {
        await held;
        await route.continue();
      });
      await page.keyboard.press('j');
      await page.keyboard.press('s');
      await page.locator('dialog p', { hasText: new RegExp(`^${second} Now`) }).waitFor();
      await page.keyboard.press('Escape');
      goOn();
      await page.locator('.panel h2').getByText(second, { exact: true }).waitFor();

      await page.getByLabel('Comment').fill('half of a sentence about the sec');
      await page.keyboard.press('Escape');
      await page.keyboard.press('k');
      await page.locator('.panel h2').getByText(second, { exact: true }).waitFor({ state: 'detached' });
      expect(await page.getByLabel('Comment').inputValue()).toBe('');

      // another list has no row yet that the keyboard is at
      await page.locator('tr.current').waitFor();
      await page.getByRole('button', { name: 'Overdue', exact: true }).click();
      await page.locator('tr.current').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Overdue', exact: true }).click();
      await links.first().waitFor();
      expect(await page.locator('tr.current').count()).toBe(0);
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'leaves the keyboard to a menu that is open, and Esc closes that alone',
    async () => {
      const { page, strays } = await openAs(analyst, '#/findings');
      await page.locator('td a.title').first().click();
      await page.locator('.panel h2').waitFor();
      const menu = page.getByRole('group', { name: 'Severity', exact: true });
      await page.locator('button.menu', { hasText: 'Severity' }).click();
      await menu.waitFor();
      await page.keyboard.press('s');
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'hidden' });
      expect(await page.locator('.panel').count()).toBe(1);
      await page.keyboard.press('Escape');
      await page.locator('.panel').waitFor({ state: 'detached' });
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'assigns without touching the date that a finding is due',
    async () => {
      const due_at = '2031-02-03T04:05:06.000Z';
      const { engine, finding_id, version } = await findingNow('Title of rule_9');
      await analyst.call(`/api/v1/views/finding/${engine}/${finding_id}/assignee`, {
        method: 'PATCH',
        body: { assignee: null, due_at },
        headers: { 'if-match': `"${version}"` },
      });
      const { page, strays } = await openAs(analyst, '#/findings?q=Title+of+rule_9');
      await page.locator('td a.title').first().click();
      await page.locator('.panel button', { hasText: 'Assign' }).click();
      expect(await page.getByLabel('Until').inputValue()).toBe('2031-02-03');
      await page.getByRole('button', { name: 'Assign it' }).click();
      await page.locator('.notice', { hasText: 'Assigned to' }).waitFor();
      expect(await findingNow('Title of rule_9')).toMatchObject({ assignee: analyst.user!.email, due_at });
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'changes what is selected as it is by now, and takes one away from all that are',
    async () => {
      const { page, strays } = await openAs(analyst, '#/findings?q=Title+of+rule_1&sort=risk_score');
      const titles = page.locator('td a.title');
      await titles.first().waitFor();
      await page.keyboard.press('j');
      await page.locator('tr.current').waitFor();
      const title = await page.locator('tr.current a.title').innerText();
      const { version } = await findingNow(title);
      await page.keyboard.press('x');
      for (const status of ['In progress', 'False positive']) {
        await page.keyboard.press('s');
        await page.getByRole('radio', { name: status }).check();
        await page.getByRole('button', { name: /set it$/ }).click();
        await page.locator('.notice', { hasText: `${status}: ${title}` }).waitFor();
      }
      expect(await findingNow(title)).toMatchObject({ status: 'FALSE_POSITIVE', version: version + 2 });
      await page.locator('.bulk button', { hasText: 'Select all' }).click();
      await page.locator('.bulk b', { hasText: /^All/ }).waitFor();
      const other = page.locator('tr:not(.current) td input[type=checkbox]').first();
      expect(await other.isChecked()).toBe(true);
      await other.uncheck();
      await page.locator('.bulk b', { hasText: '1 selected' }).waitFor();
      expect([await other.isChecked(), await page.locator('tr.current input[type=checkbox]').isChecked()]).toEqual([false, true]);
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'says that a job cannot be read, and asks for it no more',
    async () => {
      const { page, strays } = await openAs(analyst, '#/findings?job=00000000-0000-4000-8000-00000000abcd');
      await page.getByText('What became of the job cannot be read').waitFor();
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'begins anew where another tab of the browser has gone to another tenant',
    async () => {
      const { page, strays } = await openAs(analyst, '#/findings?q=rule_3');
      await page.locator('td a.title').first().waitFor();
      const stranger = await (await world.tenant()).as('viewer');
      const [name, value] = stranger.cookie!.split('=') as [string, string];
      await page.context().addCookies([{ name, value, url: world.url, sameSite: 'Lax', httpOnly: true }]);
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      await page.locator(`.who[title="${stranger.user!.email}"]`).waitFor();
      expect(new URL(page.url()).hash).toBe('');
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'takes many reports at once, and follows few of their runs at a time',
    async () => {
      const { page, strays } = await openAs(analyst, '#/scans');
      let [open, most] = [0, 0];
      const isFollowing = (url: string): boolean => url.endsWith('/events');
      page.on('request', (request) => {
        if (isFollowing(request.url())) most = Math.max(most, ++open);
      });
      const ended = (request: Request) => {
        if (isFollowing(request.url())) open -= 1;
      };
      page.on('requestfinished', ended);
      page.on('requestfailed', ended);
      const files = Array.from({ length: 4 }, (_, index) => ({
        name: `report-${index}.json`,
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(ocsf([{ rule: `sent_${index}`, resource: `arn:aws:s3:::sent-${index}`, severity: 'Low' }]))),
      }));
      await page.locator('input[type=file]').setInputFiles(files);
      await page.waitForFunction(() => document.querySelectorAll('.sent .state.completed').length === 4);
      expect(most).toBeLessThanOrEqual(2);
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'shows what scanners write as text, wherever it stands',
    async () => {
      const { page, strays } = await openAs(analyst, '#/findings?severity=high');
      for (const text of XSS) {
        const link = page.locator('td a.title').getByText(text, { exact: true });
        await link.click();
        await page.locator('.panel h2').getByText(text, { exact: true }).waitFor();
        await page.locator('.panel .timeline li').first().waitFor();
        await page.keyboard.press('Escape');
        await page.locator('.panel').waitFor({ state: 'detached' });
      }
      await page.goto(`${world.url}/#/assets/${encodeURIComponent(`arn:aws:s3:::${XSS[0]!}`)}`);
      await settled(page);
      expect(await page.locator('main img, main script, main iframe, main a[href^="javascript"]').count()).toBe(0);
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'names what a role leaves out, and what it does not let one do',
    async () => {
      const { page, strays } = await openAs(await tenant.as('viewer'), '#/findings');
      await page.getByText(/^\d+ engines are not yours to read$/).waitFor();
      await page.locator('td a.title').first().click();
      await page.getByText('changing them takes scans:create').waitFor();
      await page.goto(`${world.url}/#/settings/audit`);
      await page.getByText('takes the permission tenants:read').waitFor();
      await page.goto(`${world.url}/#/nowhere`);
      await page.getByText('There is no such page').waitFor();
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'leaves the titles of findings, permissions and roles their room on a phone, and moments theirs',
    async () => {
      const { page, strays } = await openAs(await tenant.as('org_admin'));
      const widthOf = async (name: string) => (await page.getByRole('columnheader', { name, exact: true }).boundingBox())!.width;
      await page.setViewportSize({ width: 390, height: 800 });
      await page.goto(`${world.url}/#/findings`);
      await settled(page);
      expect(await widthOf('Severity')).toBeLessThan(40);
      expect(await widthOf('Finding')).toBeGreaterThan(200);
      await page.goto(`${world.url}/#/settings/roles`);
      await settled(page);
      expect(await widthOf('Permission')).toBeGreaterThan(120);
      expect(await page.getByRole('columnheader', { name: 'Viewer' }).evaluate((head) => getComputedStyle(head).fontSize)).toBe('12px');
      await page.setViewportSize({ width: 1366, height: 860 });
      await page.goto(`${world.url}/#/settings/audit`);
      await settled(page);
      const cut = await page
        .locator('td time')
        .evaluateAll((times) => times.filter((time) => time.closest('td')!.scrollWidth > time.closest('td')!.clientWidth).length);
      expect(cut).toBe(0);
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );

  it(
    'has no violation that axe knows on any page',
    async () => {
      const { page, strays } = await openAs(await tenant.as('org_admin'));
      const pages = ['', 'findings', 'assets', 'paths', 'compliance', 'compliance?view=attestations', 'risk', 'scans'];
      const { body } = await analyst.call<{ items: { framework_id: string }[] }>('/api/v1/compliance/frameworks?page_size=1');
      const framework = body.items[0]!.framework_id;
      const things = [`assets/${encodeURIComponent('arn:aws:s3:::bucket-0')}`, `scans/${run.scan_run_id}`, `compliance/${framework}`];
      const views = ['accounts', 'connections', 'connect&provider=gcp', 'schedules'].map((view) => `scans?view=${view}`);
      const tabs = ['people', 'invitations', 'roles', 'keys', 'mfa', 'sso', 'domains', 'sla', 'notifications', 'integrations', 'webhooks'];
      const settings = ['settings', ...[...tabs, 'siem', 'audit'].map((tab) => `settings/${tab}`)];
      const found: unknown[] = [];
      for (const name of [...pages, ...things, ...views, ...settings]) {
        await page.goto(`${world.url}/#/${name}`);
        await settled(page);
        if (name === 'findings') {
          await page.locator('td a.title').first().click();
          await page.locator('.panel .timeline').waitFor();
        }
        // a theme changes colours and nothing else
        for (const [colorScheme, rules] of [['light'], ['dark', ['color-contrast']]] as const) {
          await page.emulateMedia({ colorScheme });
          const violations = await axeViolations(page, rules);
          if (violations.length > 0) found.push([name, colorScheme, violations]);
        }
      }
      expect(found).toEqual([]);
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );
});
