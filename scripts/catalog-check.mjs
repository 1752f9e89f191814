// Bundles scripts/catalog-check.ts and runs it, so that the authors of rules need no build.
import { build } from 'esbuild';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'node_modules', '.cache', 'catalog-check');
mkdirSync(folder, { recursive: true });
const outfile = join(folder, `${process.pid}.mjs`);
await build({
  entryPoints: [join(root, 'scripts/catalog-check.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  outfile,
  logLevel: 'error',
});
try {
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(outfile, { force: true });
}
