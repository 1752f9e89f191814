import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node, type Scalar } from 'yaml';
import { isItem, type Item } from '../../importers/cloud/item.js';
import { YAML_OPTIONS } from '../../importers/readers/yaml/documents.js';
import { NoTemplate } from '../no-template.js';

/** A template as it is written: short forms of functions (`!Ref`) in their long form. */
export interface Template {
  value: Item;
  /** Lines in which resources begin, by their logical ids. */
  lines: ReadonlyMap<string, { line: number; endLine: number }>;
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
  const document = parseDocument(text, { ...YAML_OPTIONS, lineCounter: counter });
  const [error] = document.errors;
  if (error !== undefined)
    throw new NoTemplate(`line ${counter.linePos(error.pos[0]).line}: ${error.message.replaceAll(/\s+/g, ' ').slice(0, 200)}`);
  const value = new Converter(document).convert(document.contents, 0);
  if (!isItem(value) || !isItem(value.Resources)) throw new NoTemplate('it has no Resources');
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
    if (!isMap(node)) return isScalar(node) ? scalarOf(node) : null;
    const made = new Map<string, unknown>();
    const merged = new Map<string, unknown>();
    for (const { key, value } of node.items) {
      const name = nameOf(key);
      const inner = NAMING.has(name) && isScalar(value) ? nameOf(value) : this.convert(value, depth + 1);
      if (name !== '<<') made.set(name, inner);
      // of what is merged the first counts, and what stands in the map itself more
      else
        for (const one of [inner].flat())
          if (isItem(one)) for (const [own, of] of Object.entries(one)) if (!merged.has(own)) merged.set(own, of);
    }
    return Object.fromEntries([...merged, ...made]);
  }
}

/** Members whose values are names of the template. */
const NAMING = new Set(['Ref', 'Condition']);

/** Of the switches in words, CloudFormation takes those of one letter for text. */
const scalarOf = ({ value, source }: Scalar): unknown => (typeof value === 'boolean' && source?.length === 1 ? source : value);

/** A name as it is written: one that YAML takes for a switch or a number is a name all the same. */
const nameOf = (key: unknown): string => (isScalar(key) ? (key.source ?? String(key.value)) : '');

function longForm(name: string, value: unknown): Item {
  if (name === 'Ref' || name === 'Condition') return { [name]: value };
  if (name === 'GetAtt' && typeof value === 'string') {
    const at = value.indexOf('.');
    return { 'Fn::GetAtt': at < 0 ? [value] : [value.slice(0, at), value.slice(at + 1)] };
  }
  return { [`Fn::${name}`]: value };
}
