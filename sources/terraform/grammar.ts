import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Language, Parser } from 'web-tree-sitter';

const packages = createRequire(import.meta.url);
/** What the build puts beside this module; the package, which compiles when it is installed where no binary fits, is needed to build only. */
const BUILT = fileURLToPath(new URL('./tree-sitter-hcl.wasm', import.meta.url));

let ready: Promise<void> | undefined;
let parser: Parser | undefined;

/** Loads the parser of HCL, once a process, from files that are here. */
export function loadHclParser(): Promise<void> {
  ready ??= load();
  return ready;
}

/** The parser of HCL, after `loadHclParser`. */
export function hclParser(): Parser {
  if (parser === undefined) throw new Error('loadHclParser comes first');
  return parser;
}

async function load(): Promise<void> {
  await Parser.init({ wasmBinary: readFileSync(packages.resolve('web-tree-sitter/web-tree-sitter.wasm')) });
  const grammar = existsSync(BUILT) ? BUILT : packages.resolve('@tree-sitter-grammars/tree-sitter-hcl/tree-sitter-hcl.wasm');
  const language = await Language.load(readFileSync(grammar));
  parser = new Parser();
  parser.setLanguage(language);
}
