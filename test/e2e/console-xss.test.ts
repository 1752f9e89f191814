import type { Browser } from 'playwright-core';
import { CHROMIUM, LONG, openBrowser, WITHOUT_CHROMIUM } from '../support/chromium.js';
import { openConsole, settled } from '../support/console-page.js';
import { needing } from '../support/shared.js';
import { openWorld, type Client, type World } from '../support/world.js';

/** What would do something if it were anything but text. */
const CORPUS = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  '<svg/onload=alert(3)>',
  '[read on](javascript:alert(4))',
  '<a href="javascript:alert(5)">fix</a>',
  '![](x" onerror="alert(6))',
  '</title><iframe srcdoc="<script>alert(7)</script>">',
];
/** Links that a browser would follow into something else than a page. */
const LINKS = ['javascript:alert(8)', 'data:text/html,<script>alert(9)</script>', 'vbscript:msgbox(10)', '//evil.example/x'];

/** A report of which every text is hostile: names of rules, their help as text and as markdown, links, messages, paths, snippets, tags. */
const hostileReport = {
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'hostile',
          informationUri: LINKS[0],
          rules: CORPUS.map((text, index) => ({
            id: `hostile-${index}`,
            name: text,
            shortDescription: { text: `Title ${index} ${text}`, markdown: text },
            fullDescription: { text, markdown: `**${text}**` },
            help: { text, markdown: `# ${text}\n\n[link](${LINKS[index % LINKS.length]})` },
            helpUri: LINKS[index % LINKS.length],
            properties: { tags: [text, 'security'], 'security-severity': '8.0' },
          })),
        },
      },
      results: CORPUS.map((text, index) => ({
        ruleId: `hostile-${index}`,
        ruleIndex: index,
        level: 'error',
        message: { text, markdown: `**${text}** [link](${LINKS[index % LINKS.length]})` },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: `src/${encodeURIComponent(text)}.svg` },
              region: { startLine: index + 1, snippet: { text } },
            },
          },
        ],
        partialFingerprints: { primaryLocationLineHash: `${index}` },
      })),
    },
  ],
};

let world: World;
let analyst: Client;
let browser: Browser;

needing(CHROMIUM).describe(`what scanners write, in the console${WITHOUT_CHROMIUM}`, () => {
  beforeAll(async () => {
    world = await openWorld();
    [analyst, browser] = await Promise.all([world.tenant().then((tenant) => tenant.as('analyst')), openBrowser()]);
    await analyst.import(hostileReport, { format: 'sarif', artifact: CORPUS[0]! });
  }, LONG);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  }, LONG);

  it(
    'is text in every field: nothing runs, nothing is loaded, and no link leads elsewhere than to the web',
    async () => {
      const { body } = await analyst.call<{ items: { engine: string; finding_id: string; resource_uid: string }[] }>('/api/v1/findings');
      expect(body.items).toHaveLength(CORPUS.length);
      const { page, strays } = await openConsole(browser, world.url, analyst);
      const hashes = body.items.flatMap(({ engine, finding_id, resource_uid }) => [
        `#/findings?open=${engine}/${finding_id}`,
        `#/assets/${encodeURIComponent(resource_uid)}`,
      ]);
      for (const hash of [...hashes, '#/', '#/findings', '#/assets', '#/scans']) {
        await page.goto(`${world.url}/${hash}`);
        await settled(page);
        if (hash.includes('open=')) await page.locator('.panel .timeline li').first().waitFor();
        for (const summary of await page.locator('.panel details:not([open]) > summary').all()) await summary.click();
        const found = await page.evaluate(() => ({
          elements: [...document.querySelectorAll('main :is(img, script, iframe, object, embed, foreignObject)')].length,
          handlers: [...document.querySelectorAll('main *')].filter((one) => [...one.attributes].some(({ name }) => name.startsWith('on')))
            .length,
          links: [...document.querySelectorAll('main a[href]')]
            .map((one) => one.getAttribute('href'))
            .filter((href) => !/^(?:#|https?:\/\/|\/api\/)/.test(href!)),
        }));
        expect([hash, found]).toEqual([hash, { elements: 0, handlers: 0, links: [] }]);
      }
      expect(strays).toEqual([]);
      await page.close();
    },
    LONG,
  );
});
