import type { Node } from 'web-tree-sitter';
import { heredocParts, named, partsOf, quotedText } from './templates.js';
import { ELEMENT, MAX_DEPTH, type Expression } from './syntax.js';

/** The expression of a node of the grammar. What it does not know, or lies too deep, becomes a name that nothing has: not known. */
export function expressionOf(node: Node, source: string, depth: number): Expression {
  const text = source.slice(node.startIndex, node.endIndex);
  if (depth > MAX_DEPTH) return { kind: 'name', name: '', text };
  const inner = named(node);
  const first = inner[0];
  const next = (child: Node | undefined): Expression =>
    child === undefined ? { kind: 'name', name: '', text } : expressionOf(child, source, depth + 1);
  switch (node.type) {
    case 'expression':
      return termOf(inner, source, depth, text);
    case 'literal_value':
    case 'collection_value':
    case 'for_expr':
    case 'operation':
      return next(first);
    case 'template_expr':
      return next(first);
    case 'numeric_lit':
      return { kind: 'literal', value: Number(text), text };
    case 'bool_lit':
      return { kind: 'literal', value: text === 'true', text };
    case 'null_lit':
      return { kind: 'literal', value: null, text };
    case 'string_lit':
      return { kind: 'literal', value: quotedText(text.slice(1, -1)), text };
    case 'quoted_template':
      return { kind: 'template', parts: partsOf(node, { source, depth, unescape: quotedText, read: expressionOf }), text };
    case 'heredoc_template':
      return { kind: 'template', parts: heredocParts(node, source, depth, expressionOf), text };
    case 'variable_expr':
      return { kind: 'name', name: text, text };
    case 'tuple':
      return { kind: 'list', items: inner.filter(({ type }) => type === 'expression').map(next), text };
    case 'object':
      return {
        kind: 'object',
        entries: inner
          .filter(({ type }) => type === 'object_elem')
          .map((entry) => ({
            key: keyOf(next(entry.childForFieldName('key') ?? undefined)),
            value: next(entry.childForFieldName('val') ?? undefined),
          })),
        text,
      };
    case 'function_call': {
      const args = inner.find(({ type }) => type === 'function_arguments');
      const given = args === undefined ? [] : named(args);
      return {
        kind: 'call',
        name: first?.text ?? '',
        args: given.filter(({ type }) => type === 'expression').map(next),
        spread: given.at(-1)?.type === 'ellipsis',
        text,
      };
    }
    case 'unary_operation':
      return { kind: 'unary', operator: text.charAt(0), of: termOf(inner, source, depth, text), text };
    case 'binary_operation':
      return binaryOf(node, source, depth, text);
    case 'conditional':
      return { kind: 'conditional', condition: next(inner[0]), yes: next(inner[1]), no: next(inner[2]), text };
    case 'for_tuple_expr':
    case 'for_object_expr':
      return forOf(node, source, depth, text);
    default:
      return { kind: 'name', name: '', text };
  }
}

/** A bare name as a key of an object is a text. */
const keyOf = (key: Expression): Expression =>
  key.kind === 'name' && key.text === key.name ? { kind: 'literal', value: key.name, text: key.text } : key;

/** What follows a term goes on from it: `aws_vpc.main[0].id`, `x[*].id`. */
function termOf(nodes: readonly Node[], source: string, depth: number, text: string): Expression {
  const [head, ...steps] = nodes;
  if (head === undefined) return { kind: 'name', name: '', text };
  const start = head.startIndex;
  let made = expressionOf(head, source, depth + 1);
  for (const step of steps) made = stepOf(made, step, source, depth + 1, source.slice(start, step.endIndex));
  return made;
}

function stepOf(of: Expression, step: Node, source: string, depth: number, text: string): Expression {
  const [inner, ...rest] = named(step);
  if (step.type === 'get_attr') return { kind: 'attribute', of, name: inner?.text ?? '', text };
  if (step.type === 'index') {
    const key: Expression =
      inner?.type === 'new_index' && named(inner)[0] !== undefined
        ? expressionOf(named(inner)[0]!, source, depth + 1)
        : { kind: 'literal', value: Number(step.text.replace(/^\./, '')), text: step.text };
    return { kind: 'index', of, key, text };
  }
  if (step.type !== 'splat' || inner === undefined) return { kind: 'name', name: '', text };
  let each: Expression = { kind: 'name', name: ELEMENT, text: ELEMENT };
  for (const [n, after] of [...named(inner), ...rest].entries()) each = stepOf(each, after, source, depth + n, `${ELEMENT}.${after.text}`);
  return { kind: 'splat', of, each, text };
}

/** The grammar writes terms flat: those before and after the operator are one each. */
function binaryOf(node: Node, source: string, depth: number, text: string): Expression {
  const children = node.children.filter((child) => child !== null && child.type !== 'comment') as Node[];
  const at = children.findIndex((child) => !child.isNamed && /^(?:[-+*/%<>]|[<>=!]=|&&|\|\|)$/.test(child.type));
  const side = (nodes: readonly Node[]): Expression =>
    termOf(
      nodes.filter((child) => child.isNamed),
      source,
      depth,
      nodes.length === 0 ? '' : source.slice(nodes[0]!.startIndex, nodes.at(-1)!.endIndex),
    );
  return {
    kind: 'binary',
    operator: children[at]?.type ?? '',
    left: side(children.slice(0, at)),
    right: side(children.slice(at + 1)),
    text,
  };
}

function forOf(node: Node, source: string, depth: number, text: string): Expression {
  const inner = named(node);
  const intro = inner.find(({ type }) => type === 'for_intro');
  const results = inner.filter(({ type }) => type === 'expression').map((child) => expressionOf(child, source, depth + 1));
  const condition = inner.find(({ type }) => type === 'for_cond');
  const names = intro === undefined ? [] : named(intro).filter(({ type }) => type === 'identifier');
  const over = intro === undefined ? undefined : named(intro).find(({ type }) => type === 'expression');
  const conditionExpression = condition === undefined ? undefined : named(condition)[0];
  const isObject = node.type === 'for_object_expr';
  const value = results[isObject ? 1 : 0];
  if (over === undefined || value === undefined) return { kind: 'name', name: '', text };
  return {
    kind: 'for',
    keyName: names.length > 1 ? names[0]!.text : undefined,
    valueName: names.at(-1)?.text ?? '',
    over: expressionOf(over, source, depth + 1),
    key: isObject ? results[0] : undefined,
    value,
    grouped: inner.some(({ type }) => type === 'ellipsis'),
    condition: conditionExpression === undefined ? undefined : expressionOf(conditionExpression, source, depth + 1),
    text,
  };
}
