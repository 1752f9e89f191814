// The pages' scripts and styles (console/): bundled for browsers and compressed, below a folder that is named by what they were made of. Most builds change
// nothing of them, so they are taken from the build before where they can be.
import { build } from 'esbuild';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { digestOf, PACKAGES } from './inputs.mjs';

// style sheets of their own, where a page names them before any script runs
const ENTRIES = {
  main: 'console/explorer/main.ts',
  workbench: 'console/explorer/workbench.tsx',
  'main-style': 'console/explorer/main.css',
  app: 'console/app/main.tsx',
  'app-style': 'console/app/app.css',
  reference: 'console/reference/main.tsx',
  'reference-style': 'console/reference/reference.css',
  'editor.worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
  'json.worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
  'graphql.worker': 'monaco-graphql/esm/graphql.worker.js',
};
const PLACE = join('console', 'built');
/** The style sheets that are asked for; each holds what its parts need, which come out once more each. */
const STYLES = ['workbench.css', 'main-style.css', 'app-style.css', 'reference-style.css'];
const NOTE = 'made-of.json';
const TOOL = 'scripts/build/pages.mjs';

/** @param former the folder of the build before; null where there is none */
export async function buildPages(root, out, former) {
  if (former && takeOver(root, join(former, PLACE), join(out, PLACE))) return;
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: join(out, PLACE),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.graphql': 'text', '.ttf': 'file' },
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    logLevel: 'warning',
    metafile: true,
    write: false,
  });
  const sources = Object.keys(metafile.inputs).filter((file) => !file.startsWith('node_modules/'));
  const folder = join(out, PLACE, nameOf(root, sources));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, NOTE), JSON.stringify(sources));
  const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  await Promise.all(
    files
      .filter(({ name }) => !name.endsWith('.css') || STYLES.includes(name))
      .map(async ({ name, contents }) => writeFileSync(join(folder, `${name}.gz`), await promisify(gzip)(contents))),
  );
}

/** What the folder of pages that are made of `sources` is called. */
export const nameOf = (root, sources) => digestOf(root, [...sources, ...PACKAGES, TOOL].sort());

/** Copies what was built before, if it was made of what stands there now. @returns whether it did */
export function takeOver(root, built, target) {
  const [name] = existsSync(built) ? readdirSync(built) : [];
  if (name === undefined) return false;
  const sources = JSON.parse(readFileSync(join(built, name, NOTE), 'utf8'));
  if (!sources.every((file) => existsSync(join(root, file))) || nameOf(root, sources) !== name) return false;
  cpSync(join(built, name), join(target, name), { recursive: true });
  return true;
}
