import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { isItem, type Item } from '../importers/cloud/item.js';
import { NoTemplate } from './no-template.js';

/** A YAML file of one document, and where the members of its maps stand. */
export interface YamlFile {
  value: Item;
  lines: number;
  /** The lines of a member, by the keys that lead to it; those of the file where it is nowhere. */
  linesOf(path: readonly string[]): { line: number; endLine: number };
  /** The tag that is written before a member (`!reset`); undefined where none is. */
  tagOf(path: readonly string[]): string | undefined;
}

/** Reads YAML 1.2 with merge keys, as Compose and workflows are written (`on` is a name, not true). @throws NoTemplate */
export function parseYamlFile(text: string): YamlFile {
  const counter = new LineCounter();
  const document = parseDocument(text, { merge: true, uniqueKeys: false, prettyErrors: false, logLevel: 'silent', lineCounter: counter });
  const [error] = document.errors;
  if (error !== undefined)
    throw new NoTemplate(`line ${counter.linePos(error.pos[0]).line}: ${error.message.replaceAll(/\s+/g, ' ').slice(0, 200)}`);
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
    tagOf(path) {
      const node: unknown = document.getIn(path, true);
      return isNode(node) ? node.tag : undefined;
    },
  };
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
