import { isMap, isNode, isScalar, LineCounter, parse, parseDocument, visit, YAMLMap, type Document } from 'yaml';
import { isItem, type Item } from '../importers/cloud/item.js';
import { NoTemplate } from './no-template.js';

/** A YAML file of one document, and where the members of its maps stand. */
export interface YamlFile {
  value: Item;
  lines: number;
  /** The lines of a member, by the keys that lead to it; those of the file where it is nowhere. */
  linesOf(path: readonly string[]): { line: number; endLine: number };
}

/**
 * Reads YAML 1.2 with merge keys, as Compose and workflows are written (`on` is a name, not true).
 * @param tags tags that mean something: what they stand before becomes a map of one member, named by the tag
 * @throws NoTemplate
 */
export function parseYamlFile(text: string, tags: readonly string[] = []): YamlFile {
  const counter = new LineCounter();
  const document = parseDocument(text, { merge: true, uniqueKeys: false, prettyErrors: false, logLevel: 'silent', lineCounter: counter });
  const [error] = document.errors;
  if (error !== undefined)
    throw new NoTemplate(`line ${counter.linePos(error.pos[0]).line}: ${error.message.replaceAll(/\s+/g, ' ').slice(0, 200)}`);
  if (tags.length > 0) keepTags(document, tags);
  const value = valueOf(() => document.toJS());
  if (!isItem(value)) throw new NoTemplate('it is no map');
  const lines = text.split('\n').length;
  return {
    value,
    lines,
    linesOf(path) {
      const whole = { line: 1, endLine: lines };
      const holder: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
      const pair = isMap(holder) ? holder.items.find(({ key }) => isScalar(key) && String(key.value) === path.at(-1)) : undefined;
      if (pair === undefined || !isNode(pair.key) || !pair.key.range) return whole;
      const { line } = counter.linePos(pair.key.range[0]);
      const end = isNode(pair.value) && pair.value.range ? counter.linePos(Math.max(0, pair.value.range[1] - 1)).line : line;
      return { line, endLine: Math.max(line, end) };
    },
  };
}

function keepTags(document: Document.Parsed, tags: readonly string[]): void {
  visit(document, {
    Pair(_, pair) {
      const { value } = pair;
      if (!isNode(value) || value.tag === undefined || !tags.includes(value.tag)) return;
      const { tag } = value;
      delete value.tag;
      const held = new YAMLMap(document.schema);
      held.range = value.range;
      // a scalar behind a tag that YAML does not know is read as text
      held.set(tag, isScalar(value) && value.type === 'PLAIN' ? parse(value.source ?? '') : value);
      pair.value = held;
    },
  });
}

function valueOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    // aliases that make much of little, or a text nested past the stack
    if (error instanceof ReferenceError || error instanceof RangeError)
      throw new NoTemplate(`it is nested too deep, or holds too much: ${error.message}`);
    throw error;
  }
}
