import type { Node } from 'web-tree-sitter';
import { expressionOf } from './expressions.js';
import { hclParser } from './grammar.js';
import { quotedText } from './templates.js';
import { MAX_DEPTH, TooDeep, type Block, type Expression, type HclFile } from './syntax.js';

const MAX_FAULTS = 20;

/** Reads a file of HCL. What stands around a place that cannot be read is read all the same. */
export function parseHclFile(text: string): HclFile {
  const tree = hclParser().parse(text);
  if (tree === null) return { body: emptyBody(), faults: [{ line: 1, reason: 'it cannot be parsed' }] };
  try {
    const { rootNode } = tree;
    const faults = rootNode.hasError ? faultsOf(rootNode) : [];
    const body = rootNode.namedChildren.find((child) => child?.type === 'body');
    return { body: body ? bodyOf(body, text, 0) : emptyBody(), faults };
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return { body: emptyBody(), faults: [{ line: 1, reason: error.message }] };
  } finally {
    tree.delete();
  }
}

/** Reads one expression; undefined where the text is none. */
export function parseExpression(text: string): Expression | undefined {
  const { body, faults } = parseHclFile(`value = ${text}\n`);
  return faults.length === 0 && body.blocks.length === 0 && body.attributes.size === 1 ? body.attributes.get('value') : undefined;
}

/** Reads a text with `${...}` in it, as template files and files of JSON hold them. */
export function parseTemplate(text: string): Expression | undefined {
  let mark = 'TEMPLATE';
  while (text.includes(mark)) mark += '_';
  const made = parseExpression(`<<${mark}\n${text}\n${mark}`);
  if (made?.kind !== 'template') return undefined;
  const last = made.parts.at(-1);
  // the line end before the mark is ours
  return typeof last === 'string'
    ? { ...made, parts: [...made.parts.slice(0, -1), last.slice(0, -1)].filter((part) => part !== '') }
    : made;
}

const emptyBody = (): HclFile['body'] => ({ attributes: new Map(), blocks: [] });

function bodyOf(body: Node, text: string, depth: number): HclFile['body'] {
  if (depth > MAX_DEPTH) throw new TooDeep();
  const made = emptyBody();
  for (const child of body.namedChildren) {
    if (child?.type === 'attribute') {
      const [name, value] = child.namedChildren.filter((inner) => inner?.type === 'identifier' || inner?.type === 'expression');
      if (name && value) made.attributes.set(name.text, expressionOf(value, text, depth + 1));
    } else if (child?.type === 'block') made.blocks.push(blockOf(child, text, depth + 1));
  }
  return made;
}

function blockOf(node: Node, text: string, depth: number): Block {
  const names: string[] = [];
  let body = emptyBody();
  for (const child of node.namedChildren) {
    if (child?.type === 'identifier') names.push(child.text);
    else if (child?.type === 'string_lit') names.push(quotedText(child.text.slice(1, -1)));
    else if (child?.type === 'body') body = bodyOf(child, text, depth);
  }
  const [type = '', ...labels] = names;
  return { type, labels, ...body, line: node.startPosition.row + 1, endLine: node.endPosition.row + 1 };
}

/** The places that the grammar could not make sense of, from the top, without what is inside of them. */
function faultsOf(root: Node): HclFile['faults'] {
  const faults: HclFile['faults'] = [];
  const stack: Node[] = [root];
  for (let node = stack.pop(); node !== undefined && faults.length < MAX_FAULTS; node = stack.pop()) {
    const line = node.startPosition.row + 1;
    if (node.isMissing) faults.push({ line, reason: `${node.type} is missing` });
    else if (node.isError) faults.push({ line, reason: 'this is no HCL' });
    else if (node.hasError) stack.push(...node.children.filter((child) => child !== null).reverse());
  }
  return faults;
}
