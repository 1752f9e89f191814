import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const SKIP = new Set(['node_modules', 'dist', 'coverage']);

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || SKIP.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (/\.(ts|md|graphql|ya?ml)$/.test(entry.name)) yield path;
  }
}

test('every decision that is cited by its number stands in docs/numbered-decisions.md', () => {
  const page = readFileSync(join(root, 'docs/numbered-decisions.md'), 'utf8');
  const numbered = new Set([...page.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number)));
  expect(numbered.size).toBeGreaterThan(60);
  const cited = [...filesBelow(root)].flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bdecisions? (\d+)(?:(?:,| and| to) (\d+))*/g)].flatMap((match) =>
      [...match[0].matchAll(/\d+/g)].map(([number]) => ({ path: path.slice(root.length + 1), number: Number(number) })),
    ),
  );
  expect(cited.length).toBeGreaterThan(50);
  expect(cited.filter(({ number }) => !numbered.has(number))).toEqual([]);
});
