// One file for each thing that a process or a thread loads at its start: its modules and those of the packages, in the place of some two thousand. Where a bundle
// stands, the module of the same name hands it on (scripts/bundle-loader.ts).
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { COMMON, THREADS } from './modules.mjs';
import { linesOf } from './source-lines.mjs';

/** The modules that head a bundle; what one exports is listed in it. */
export const BUNDLES = ['cli/commands', 'cli/check', 'cli/rule', ...THREADS];
/** Packages that stay where they are: with binaries of their own, or loaded by few. */
const EXTERNAL = ['@node-rs/argon2', 'classic-level', '@aws-sdk/*', 'web-tree-sitter', 'pdfkit', 'fontkit'];

/** Modules find the files beside them in the build's folder, wherever the bundle stands. */
const ownPlace = (root) => ({
  name: 'own place',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      if (!contents.includes('import.meta.url')) return undefined;
      const place = relative(root, path).replaceAll('\\', '/').replace(/\.ts$/, '.js');
      return { contents: contents.replaceAll('import.meta.url', `__moduleUrl(${JSON.stringify(place)})`), loader: 'ts' };
    });
  },
});

/** What is not ASCII as escapes, so that the file is read without decoding it and takes a byte a character. */
function asAscii(text) {
  if (/String\.raw`[^`]*[^\0-\x7f`]/.test(text)) throw new Error('a String.raw template holds what is not ASCII: write it as an escape');
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The module at the place of one that heads a bundle. */
const handingOn = (name, exported) => {
  const up = '../'.repeat(name.split('/').length - 1);
  const load = `loadBundle(new URL('./${basename(name)}.cjs', import.meta.url))`;
  return `import { loadBundle } from '${up}scripts/bundle-loader.js';\n${exported.length ? `export const { ${exported.join(', ')} } = ` : ''}${load};\n`;
};

/** The store's worker awaits at its top, which CommonJS cannot: it becomes an ES module, which takes no code cache, at its own place. */
async function bundleStore(root, out) {
  await build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: ['embedded/worker.ts'],
    outfile: join(out, 'embedded', 'worker.js'),
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    external: EXTERNAL,
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    // packages that are CommonJS ask for Node's modules with require
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  });
}

/** @param exportsOf what a module exports, by its path without extension */
export async function buildBundles(root, out, exportsOf) {
  const { outputFiles } = await build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: BUNDLES.map((name) => `${name}.ts`),
    outdir: out,
    outbase: root,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    // as Node resolves: one copy of a package that has two forms
    conditions: [],
    mainFields: ['main'],
    external: EXTERNAL,
    supported: { 'dynamic-import': false },
    plugins: [ownPlace(root)],
    // names of classes and functions are data to some packages
    keepNames: true,
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    sourcemap: 'external',
    sourcesContent: false,
    write: false,
  });
  for (const { path, text } of outputFiles) {
    if (path.endsWith('.map'))
      writeFileSync(path.replace(/\.cjs\.map$/, '.lines.json'), JSON.stringify(linesOf(JSON.parse(text), path, root)));
    else writeFileSync(path, asAscii(text));
  }
  for (const name of BUNDLES) writeFileSync(join(out, `${name}.js`), handingOn(name, exportsOf(name)));
  await bundleStore(root, out);
}
