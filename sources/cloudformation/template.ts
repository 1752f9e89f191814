import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';

export type Json = Readonly<Record<string, unknown>>;
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A template as it is written: short forms of functions (`!Ref`) in their long form. */
export interface Template {
  value: Json;
  /** Lines in which resources begin, by their logical ids. */
  lines: ReadonlyMap<string, { line: number; endLine: number }>;
}

/** It is no template that can be read. */
export class NoTemplate extends Error {
  override readonly name = 'NoTemplate';
}

const MAX_DEPTH = 100;
/** Values of one template; aliases can make more of few. */
const MAX_VALUES = 1_000_000;

/** Whether the first bytes of a file are those of a template of CloudFormation. */
export function isTemplate(head: string): boolean {
  if (/^\s*\{/.test(head))
    return /"AWSTemplateFormatVersion"\s*:/.test(head) || (/"Resources"\s*:\s*\{/.test(head) && /"Type"\s*:\s*"AWS::\w+::\w+/.test(head));
  return /^AWSTemplateFormatVersion\s*:/m.test(head) || (/^Resources\s*:/m.test(head) && /^\s+Type\s*:\s*['"]?AWS::\w+::\w+/m.test(head));
}

/** Reads a template in YAML or JSON. @throws NoTemplate */
export function parseTemplate(text: string): Template {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, logLevel: 'silent', prettyErrors: false, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined)
    throw new NoTemplate(`line ${counter.linePos(error.pos[0]).line}: ${error.message.replaceAll(/\s+/g, ' ').slice(0, 200)}`);
  const value = new Converter(document).convert(document.contents, 0);
  if (!isObject(value) || !isObject(value.Resources)) throw new NoTemplate('it has no Resources');
  return { value, lines: linesOf(document, counter) };
}

function linesOf(document: Document.Parsed, counter: LineCounter): Map<string, { line: number; endLine: number }> {
  const lines = new Map<string, { line: number; endLine: number }>();
  const resources = document.get('Resources');
  if (!isMap(resources)) return lines;
  for (const { key, value } of resources.items) {
    if (!isScalar(key) || key.range === undefined || key.range === null) continue;
    const { line } = counter.linePos(key.range[0]);
    const end = isNode(value) && value.range ? counter.linePos(Math.max(0, value.range[1] - 1)).line : line;
    lines.set(String(key.value), { line, endLine: end });
  }
  return lines;
}

const isNode = (value: unknown): value is Node => isMap(value) || isSeq(value) || isScalar(value) || isAlias(value);

class Converter {
  private count = 0;

  constructor(private readonly document: Document.Parsed) {}

  convert(node: unknown, depth: number): unknown {
    this.count += 1;
    if (depth > MAX_DEPTH || this.count > MAX_VALUES) throw new NoTemplate('it is nested too deep, or holds too much');
    if (isAlias(node)) return this.convert(node.resolve(this.document), depth + 1);
    if (!isNode(node)) return null;
    const plain = this.plain(node, depth);
    const tag = node.tag ?? '';
    return /^![A-Z]/.test(tag) ? longForm(tag.slice(1), plain) : plain;
  }

  private plain(node: Node, depth: number): unknown {
    if (isSeq(node)) return node.items.map((item) => this.convert(item, depth + 1));
    if (!isMap(node)) return isScalar(node) ? node.value : null;
    const made: Record<string, unknown> = {};
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      Object.defineProperty(made, name, { value: this.convert(value, depth + 1), enumerable: true, configurable: true, writable: true });
    }
    return made;
  }
}

function longForm(name: string, value: unknown): Json {
  if (name === 'Ref' || name === 'Condition') return { [name]: value };
  if (name === 'GetAtt' && typeof value === 'string') {
    const at = value.indexOf('.');
    return { 'Fn::GetAtt': at < 0 ? [value] : [value.slice(0, at), value.slice(at + 1)] };
  }
  return { [`Fn::${name}`]: value };
}
