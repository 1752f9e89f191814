import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { judged } from './judged.js';

/** Estate, resource, flaw in words, end of the id of the rule that finds it. */
type Planted = Record<string, Record<string, Record<string, string>>>;

const PLANTED = load(readFileSync(join(__dirname, 'planted.yaml'), 'utf8')) as Planted;
const foldersIn = (kind: string): string[] => readdirSync(join(__dirname, kind)).sort();
/** The most findings of a resource that is kept badly, and that is kept well. */
const MOST = { planted: 4, kept: 1 };
/** Types whose resources are a whole file, which holds what would be several: the mean is of the others. */
const WHOLE_FILES = new Set(['dockerfile_image', 'github_workflow']);

it('twenty estates and more have planted flaws, and twenty are kept well', () => {
  expect(foldersIn('planted')).toEqual(Object.keys(PLANTED).sort());
  expect(foldersIn('planted').length).toBeGreaterThanOrEqual(20);
  expect(foldersIn('kept').length).toBeGreaterThanOrEqual(20);
});

describe.each(foldersIn('planted'))('the estate %s', (estate) => {
  it('has each of its planted flaws found by the recommended rules', async () => {
    const found = await judged(join(__dirname, 'planted', estate));
    const missed = Object.entries(PLANTED[estate]!).flatMap(([address, flaws]) =>
      Object.entries(flaws).flatMap(([flaw, end]) => {
        const rules = (found.get(address) ?? []).flatMap((finding) => finding.rules);
        return rules.some((id) => id.endsWith(`.${end}`)) ? [] : [`${address}: ${flaw} (${end})`];
      }),
    );
    expect(missed).toEqual([]);
  });

  it(`has at most ${MOST.planted} findings a resource in the mean`, async () => {
    const counts = [...(await judged(join(__dirname, 'planted', estate)))]
      .filter(([address]) => !WHOLE_FILES.has(address.split('.')[0]!))
      .map(([, findings]) => findings.length);
    expect(counts.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(MOST.planted * counts.length);
  });
});

it.each(foldersIn('kept'))(`%s, which is kept well, has at most ${MOST.kept} finding a resource and no critical one`, async (estate) => {
  const found = await judged(join(__dirname, 'kept', estate));
  expect(found.size).toBeGreaterThan(0);
  const over = [...found].filter(([, findings]) => findings.length > MOST.kept || findings.some(({ severity }) => severity === 'critical'));
  expect(over).toEqual([]);
});
