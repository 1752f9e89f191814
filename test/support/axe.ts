import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with a page as it stands: each rule with the elements that break it. @param rules those that are looked at; all of them without */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<[rule: string, elements: string[]][]> {
  await page.evaluate(SOURCE);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run(only ? { runOnly: only } : {})).violations.map(({ id, nodes }) => [
      id,
      nodes.map(({ html }) => html.slice(0, 200)),
    ]);
  }, rules);
}
