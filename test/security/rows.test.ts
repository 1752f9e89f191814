import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needing, shared } from '../support/shared.js';

/** Rows of the list of attack cases that have nothing to attack yet, and why. A row leaves this list with the part that it is about. */
const PENDING: Readonly<Record<string, string>> = {
  N6: 'no answer is CSV: exports are not built',
};

const LIST = shared('design/security-tests.md');
const files = readdirSync(__dirname).filter((name) => name.endsWith('.test.ts'));

/** `a2-a3-isolation.test.ts` is about A2 and A3. */
const idsOf = (file: string): string[] =>
  (/^((?:[a-z]\d-)+)/.exec(file)?.[1] ?? '')
    .split('-')
    .filter(Boolean)
    .map((id) => id.toUpperCase());

describe('the attack cases', () => {
  it('have a file each, which names the row in its tests', () => {
    for (const file of files) {
      const text = readFileSync(join(__dirname, file), 'utf8');
      const names = [...text.matchAll(/^describe[^\n]*?\(\s*['"`](.*?)['"`],/gm)]
        .map(([, name]) => name)
        .join(' ')
        .split(/\W/);
      expect({ file, names }).toEqual({ file, names: expect.arrayContaining(idsOf(file)) });
    }
  });

  needing(LIST).it('are those of the list, tested or pending with a reason (skipped where the list is absent)', () => {
    const listed = [...readFileSync(LIST!, 'utf8').matchAll(/^\| ([A-Z]\d) \|/gm)].map(([, id]) => id!);
    const covered = [...new Set([...files.flatMap(idsOf), ...Object.keys(PENDING)])];
    expect(covered.sort()).toEqual(listed.sort());
  });
});
