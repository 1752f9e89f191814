import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { OUTSIDE } from '../../rooms.js';

const root = join(__dirname, '../..');
const IMPORT = /(?:\bfrom\s+|\bimport\(\s*|\bimport\s+)(['"])(\.{1,2}\/[^'"]*)\1/g;
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', ...OUTSIDE]);

function* sources(folder = ''): Iterable<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(path)) yield* sources(path);
    else if (entry.isFile() && /\.(ts|mjs)$/.test(entry.name)) yield path;
  }
}

/** File -> the files that it imports, types included. */
function importsOf(files: Iterable<string>, read = (file: string) => readFileSync(join(root, file), 'utf8')): Map<string, string[]> {
  const targets = (file: string) =>
    [...read(file).matchAll(IMPORT)].map(([, , target]) => normalize(join(dirname(file), target!)).replace(/\.js$/, '.ts'));
  return new Map([...files].map((file) => [file, targets(file)]));
}

/** One circle for each import that closes one, as the files on the way. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const path: string[] = [];
  const found: string[] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) return void found.push([...path.slice(start), file].join(' -> '));
    if (done.has(file)) return;
    path.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return found;
}

test('no file can be reached from itself by imports, types included', () => {
  const graph = importsOf(sources());
  expect(graph.size).toBeGreaterThan(500);
  expect([...graph.values()].flat().length).toBeGreaterThan(graph.size);
  expect(circlesIn(graph)).toEqual([]);
});

test('a circle is found, of types as well, and told with its way', () => {
  const files: Record<string, string> = {
    'a/one.ts': "import { two } from './two.js';",
    'a/two.ts': "import type {\n  Three,\n} from '../b/three.js';",
    'b/three.ts': "export type Three = import('../a/one.js').One;",
    'b/four.ts': "import '../a/one.js';",
  };
  expect(circlesIn(importsOf(Object.keys(files), (file) => files[file]!))).toEqual(['a/one.ts -> a/two.ts -> b/three.ts -> a/one.ts']);
});
