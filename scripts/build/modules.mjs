// Every TypeScript file as one ES module at its place, and beside the modules the data that they read.
import { build } from 'esbuild';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, URL } from 'node:url';

const ENGINES = fileURLToPath(new URL('../../subgraphs', import.meta.url));

/** The modules that head a thread of their own: those of engines that are called so. */
export const THREADS = readdirSync(ENGINES, { recursive: true })
  .filter((file) => file.endsWith('-thread.ts'))
  .map((file) => `subgraphs/${file.slice(0, -'.ts'.length).replaceAll('\\', '/')}`)
  .sort();

/** The grammar of HCL, of a package that is needed to build only: installed, it would compile where no binary of its fits. */
const GRAMMAR = 'node_modules/@tree-sitter-grammars/tree-sitter-hcl/tree-sitter-hcl.wasm';

/** The fonts of documents, with their licences: of packages that hold every weight, a file or two each. */
const FONTS = 'subgraphs/reporting/formats/pdf';

/** The options that modules and bundles share. */
export const COMMON = { platform: 'node', target: 'node20', logLevel: 'warning' };

/** @param out the folder of the build @returns a function that tells what a module exports, by its path without extension */
export async function buildModules(root, out, { modules, data }) {
  const { metafile } = await build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: modules,
    outdir: out,
    outbase: root,
    format: 'esm',
    sourcemap: true,
    metafile: true,
  });
  for (const file of data) cpSync(join(root, file), join(out, file));
  cpSync(join(root, GRAMMAR), join(out, 'sources', 'terraform', 'tree-sitter-hcl.wasm'));
  copyFonts(root, out);
  const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(out, 'package.json'), JSON.stringify({ name, version, type }));
  noteOptimizer(out);
  // the rule catalog, expanded from its families, so that a start reads one file
  const { status } = spawnSync(process.execPath, [join(out, 'catalog', 'build.js')], { stdio: 'inherit' });
  // what is wrong it has said itself; what stands there of this build goes with the next one
  if (status !== 0) process.exit(status ?? 1);
  return (name) => metafile.outputs[relative(root, join(out, `${name}.js`)).replaceAll('\\', '/')].exports;
}

function copyFonts(root, out) {
  const [, ...lines] = readFileSync(join(root, FONTS, 'fonts.tsv'), 'utf8')
    .trim()
    .split('\n');
  for (const line of lines) {
    const [, name, file] = line.split('\t');
    const from = join(root, 'node_modules', name);
    cpSync(join(from, 'fonts', file), join(out, FONTS, 'fonts', file));
    cpSync(join(from, 'LICENSE'), join(out, FONTS, 'fonts', `${file}.LICENSE`));
  }
}

/** What this Node's V8 optimizes by, which no process can ask for itself (processes/optimizer.ts). */
function noteOptimizer(out) {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  const interrupt_budget = Number(/default: --interrupt-budget=(\d+)/.exec(options)?.[1]);
  if (interrupt_budget > 0)
    writeFileSync(join(out, 'processes', 'optimizer.json'), JSON.stringify({ v8: process.versions.v8, interrupt_budget }));
}
