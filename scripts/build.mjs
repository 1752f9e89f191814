// Builds dist/: every TypeScript file becomes one ES module at the same place, and the data files that modules read
// at run time are copied beside it. It takes well under a second, so that `npm start` and `npm test` can run it.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist');
const NOT_SOURCE = new Set(['node_modules', 'dist', 'coverage', 'docs']);
const DATA = new Set(['.txt', '.graphql', '.yaml', '.yml', '.tsv', '.json', '.html', '.css', '.sarif', '.tfstate']);
/** Folders whose files no module reads at run time. */
const NO_DATA = new Set(['test', 'bench', 'scripts']);

/** Every file below `folder`, leaving out hidden folders and what is not source. */
function* walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || NOT_SOURCE.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}

rmSync(out, { recursive: true, force: true });
const sources = [...walk(root)].filter((f) => f.endsWith('.ts') && !f.endsWith('.d.ts') && !relative(root, f).startsWith('test/'));
await build({
  entryPoints: sources,
  outdir: out,
  outbase: root,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
});

for (const entry of readdirSync(root, { withFileTypes: true })) {
  if (!entry.isDirectory() || entry.name.startsWith('.') || NOT_SOURCE.has(entry.name) || NO_DATA.has(entry.name)) continue;
  for (const file of walk(join(root, entry.name))) if (DATA.has(extname(file))) cpSync(file, join(out, relative(root, file)));
}
chmodSync(join(out, 'main.js'), 0o755);

// the rule catalog, expanded from its families, so that a start reads one file
execFileSync(process.execPath, [join(out, 'catalog', 'build.js')], { stdio: 'inherit' });
