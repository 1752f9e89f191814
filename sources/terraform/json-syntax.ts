import { isItem, type Item } from '../../importers/cloud/item.js';
import { parseExpression, parseTemplate } from './parse.js';
import { MAX_DEPTH, type Block, type Expression, type HclFile } from './syntax.js';

/** How many labels the blocks at the top of a file have (Terraform, "JSON Configuration Syntax"). */
const LABELS: Readonly<Record<string, number>> = {
  resource: 2,
  data: 2,
  variable: 1,
  output: 1,
  module: 1,
  provider: 1,
  locals: 0,
  terraform: 0,
};
/** Arguments of Terraform's own whose texts are expressions, not templates. */
const EXPRESSIONS = new Set(['depends_on', 'provider', 'providers']);

/** Reads a file of Terraform's JSON syntax. */
export function parseJsonFile(text: string): HclFile {
  const body: HclFile['body'] = { attributes: new Map(), blocks: [] };
  try {
    const file: unknown = JSON.parse(text);
    if (!isItem(file)) return { body, faults: [{ line: 1, reason: 'this is no JSON object' }] };
    const lines = linesOf(text);
    for (const [type, value] of Object.entries(file))
      if (Object.hasOwn(LABELS, type)) body.blocks.push(...blocksOf(type, [], value, LABELS[type]!, lines));
    return { body, faults: [] };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { body, faults: [{ line: 1, reason: `this is no JSON: ${error.message.slice(0, 200)}` }] };
  }
}

/** Reads a file of values of variables in JSON: its members are plain. */
export function parseJsonValues(text: string): Item | undefined {
  try {
    const file: unknown = JSON.parse(text);
    return isItem(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** The line in which a name is first a member's. */
function linesOf(text: string): (name: string) => number {
  const lines = new Map<string, number>();
  for (const [n, line] of text.split('\n').entries())
    for (const [, name = ''] of line.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)) if (!lines.has(name)) lines.set(name, n + 1);
  return (name) => lines.get(name) ?? 1;
}

function blocksOf(type: string, labels: readonly string[], value: unknown, more: number, lines: (name: string) => number): Block[] {
  if (Array.isArray(value)) return value.flatMap((inner: unknown) => blocksOf(type, labels, inner, more, lines));
  if (!isItem(value)) return [];
  if (more > 0)
    return Object.entries(value).flatMap(([label, inner]) =>
      label === '//' ? [] : blocksOf(type, [...labels, label], inner, more - 1, lines),
    );
  const line = lines(labels.at(-1) ?? type);
  return [{ type, labels: [...labels], ...bodyOf(type, value, lines), line, endLine: line }];
}

function bodyOf(type: string, value: Item, lines: (name: string) => number): HclFile['body'] {
  const body: HclFile['body'] = { attributes: new Map(), blocks: [] };
  for (const [name, inner] of Object.entries(value)) {
    if (name === '//') continue;
    if (name === 'dynamic' || name === 'content') body.blocks.push(...blocksOf(name, [], inner, name === 'dynamic' ? 1 : 0, lines));
    else body.attributes.set(name, expressionOf(inner, EXPRESSIONS.has(name) || (type === 'variable' && name === 'type'), 0));
  }
  return body;
}

function expressionOf(value: unknown, isExpression: boolean, depth: number): Expression {
  if (depth > MAX_DEPTH) return { kind: 'name', name: '', text: '{...}' };
  if (typeof value === 'string') return textOf(value, isExpression);
  if (Array.isArray(value))
    return { kind: 'list', items: value.map((item: unknown) => expressionOf(item, isExpression, depth + 1)), text: '[...]' };
  if (isItem(value)) {
    const entries = Object.entries(value).map(([key, inner]) => ({
      key: textOf(key, false),
      value: expressionOf(inner, isExpression, depth + 1),
    }));
    return { kind: 'object', entries, text: '{...}' };
  }
  return { kind: 'literal', value: typeof value === 'number' || typeof value === 'boolean' ? value : null, text: String(value) };
}

function textOf(value: string, isExpression: boolean): Expression {
  const made = isExpression ? parseExpression(value) : /[$%]\{/.test(value) ? parseTemplate(value) : undefined;
  return made ?? { kind: 'literal', value, text: JSON.stringify(value) };
}
