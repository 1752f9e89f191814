import type { Node } from 'web-tree-sitter';
import { MAX_DEPTH, type Expression } from './syntax.js';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

/** What a text between quotes says (HCL, "Template Literals"). */
export function quotedText(raw: string): string {
  return raw
    .replaceAll(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/g, (all, short?: string, long?: string, char?: string) => {
      const code = short ?? long;
      if (code === undefined) return ESCAPES[char ?? ''] ?? all;
      const point = Number.parseInt(code, 16);
      return point > 0x10ffff ? all : String.fromCodePoint(point);
    })
    .replaceAll(/([$%])\1\{/g, '$1{');
}

/** The parts of a node that mean something. */
export const named = (node: Node): Node[] => node.namedChildren.filter((child) => child !== null && child.type !== 'comment') as Node[];

/** How a template is read. */
interface Reading {
  source: string;
  depth: number;
  /** What its text says between the holes. */
  unescape(raw: string): string;
  read(node: Node, source: string, depth: number): Expression;
}

const MARKS = new Set([
  'quoted_template_start',
  'quoted_template_end',
  'template_if_intro',
  'template_else_intro',
  'template_if_end',
  'template_for_start',
  'template_for_end',
]);
const isHole = ({ type }: Node): boolean => type === 'template_interpolation' || type === 'template_directive';

/** The parts of a template between two places of the file: what lies between its holes is text as it stands there. */
function partsBetween(holes: readonly Node[], from: number, to: number, reading: Reading): (string | Expression)[] {
  const { source, unescape } = reading;
  const parts: (string | Expression)[] = [];
  let at = from;
  let trim = source.startsWith('~}', from - 2);
  const literal = (until: number, trimEnd: boolean): void => {
    let raw = source.slice(at, until);
    if (trim) raw = raw.trimStart();
    if (trimEnd) raw = raw.trimEnd();
    if (raw !== '') parts.push(unescape(raw));
  };
  for (const hole of holes) {
    const text = source.slice(hole.startIndex, hole.endIndex);
    literal(hole.startIndex, /^[$%]\{~/.test(text));
    parts.push(holeOf(hole, { ...reading, depth: reading.depth + 1 }));
    at = hole.endIndex;
    trim = text.endsWith('~}');
  }
  literal(to, source.startsWith('%{~', to));
  return parts;
}

/** The parts of a template between quotes. */
export function partsOf(node: Node, reading: Reading): (string | Expression)[] {
  const from = node.firstChild?.endIndex ?? node.startIndex;
  const to = node.lastChild?.startIndex ?? node.endIndex;
  return partsBetween(named(node).filter(isHole), from, to, reading);
}

function holeOf(hole: Node, reading: Reading): Expression {
  const { source, depth, read } = reading;
  const text = source.slice(hole.startIndex, hole.endIndex);
  const [inner] = named(hole).filter(({ type }) => !/^template_(?:interpolation|directive)_|^strip_marker$/.test(type));
  if (inner === undefined) return { kind: 'literal', value: '', text };
  if (inner.type === 'expression') return read(inner, source, depth);
  return directiveOf(inner, text, reading);
}

/** `%{ if }` is a condition, `%{ for }` a joined list. */
function directiveOf(node: Node, text: string, reading: Reading): Expression {
  const { source, depth, read } = reading;
  if (depth > MAX_DEPTH) return { kind: 'name', name: '', text };
  const marks = named(node).filter(({ type }) => MARKS.has(type));
  const part = (after: Node | undefined, before: Node | undefined): Expression => {
    if (after === undefined || before === undefined) return { kind: 'literal', value: '', text: '' };
    const holes = named(node).filter((child) => isHole(child) && child.startIndex >= after.endIndex && child.endIndex <= before.startIndex);
    return { kind: 'template', parts: partsBetween(holes, after.endIndex, before.startIndex, reading), text };
  };
  const intro = marks[0];
  const expression = intro === undefined ? undefined : named(intro).find(({ type }) => type === 'expression');
  if (intro === undefined || expression === undefined) return { kind: 'name', name: '', text };
  const condition = read(expression, source, depth + 1);
  if (node.type === 'template_if') {
    const last = marks.at(-1);
    const other = marks.find(({ type }) => type === 'template_else_intro');
    return {
      kind: 'conditional',
      condition,
      yes: part(intro, other ?? last),
      no: other === undefined ? part(undefined, undefined) : part(other, last),
      text,
    };
  }
  const names = named(intro).filter(({ type }) => type === 'identifier');
  const list: Expression = {
    kind: 'for',
    keyName: names.length > 1 ? names[0]!.text : undefined,
    valueName: names.at(-1)?.text ?? '',
    over: condition,
    key: undefined,
    value: part(intro, marks.at(-1)),
    grouped: false,
    condition: undefined,
    text,
  };
  return { kind: 'call', name: 'join', args: [{ kind: 'literal', value: '', text: '""' }, list], spread: false, text };
}

/** A heredoc begins behind the line of its mark; with `<<-` the least indentation of its lines is left out. */
export function heredocParts(node: Node, source: string, depth: number, read: Reading['read']): (string | Expression)[] {
  const marks = node.children.filter((child) => child?.type === 'heredoc_identifier') as Node[];
  const begin = source.indexOf('\n', marks[0]?.endIndex ?? node.startIndex) + 1;
  const end = source.lastIndexOf('\n', marks.at(-1)?.startIndex ?? node.endIndex) + 1;
  if (begin === 0 || end <= begin) return [];
  const plain = (raw: string): string => raw.replaceAll(/([$%])\1\{/g, '$1{');
  const parts = partsBetween(named(node).filter(isHole), begin, end, { source, depth, unescape: plain, read });
  if (node.firstChild?.text !== '<<-') return parts;
  const lines = source
    .slice(begin, end)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const indent = Math.min(...lines.map((line) => /^[ \t]*/.exec(line)![0].length));
  if (!Number.isFinite(indent) || indent === 0) return parts;
  const margin = new RegExp(`(^|\\n)[ \\t]{${indent}}`, 'g');
  return parts.map((part, n) =>
    typeof part !== 'string' ? part : n === 0 ? part.replace(margin, '$1') : part.replaceAll(new RegExp(`\\n[ \\t]{${indent}}`, 'g'), '\n'),
  );
}
