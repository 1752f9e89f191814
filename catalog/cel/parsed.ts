import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from '@bufbuild/cel';
import { readTree, writeTree, type Expr, type Written } from './tree.js';

/** What the build writes beside this module: the catalog's expressions, parsed, a line each. */
export const BUILT_TREES = fileURLToPath(new URL('./trees.tsv', import.meta.url));

/** By expressions, their trees as JSON: each is read when it is asked for. */
let lines: ReadonlyMap<string, string> | undefined;

/** The tree of an expression that the build has parsed; undefined for others, and where nothing was built. */
export function parsedBefore(expression: string): Expr | undefined {
  const tree = (lines ??= readLines()).get(expression);
  return tree === undefined ? undefined : readTree(JSON.parse(tree) as Written);
}

/** What is written for these expressions. Left out are those that have no such form. */
export function writtenTrees(expressions: ReadonlySet<string>): string {
  return [...expressions]
    .flatMap((expression) => {
      const { expr } = parse(expression);
      const tree = expr && writeTree(expr);
      return tree === undefined || /[\t\n\r]/.test(expression) ? [] : [`${expression}\t${JSON.stringify(tree)}\n`];
    })
    .join('');
}

function readLines(): Map<string, string> {
  const found = new Map<string, string>();
  if (!existsSync(BUILT_TREES)) return found;
  for (const line of readFileSync(BUILT_TREES, 'utf8').split('\n')) {
    const end = line.indexOf('\t');
    if (end > 0) found.set(line.slice(0, end), line.slice(end + 1));
  }
  return found;
}
