import { SaxesParser } from 'saxes';

type Node = { [name: string]: unknown };
interface Open {
  readonly name: string;
  readonly node: Node;
  text: string;
}

/** Elements below each other in one document: the interface answers a few. */
const DEEPEST = 50;

/**
 * A document as an object: elements by their names, those that come again as a list, what has no elements as its text. Attributes are left out.
 * @throws Error where it is no XML, or nests too deep
 */
export function readXml(text: string): Node {
  const root: Open = { name: '', node: {}, text: '' };
  const open: Open[] = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  // entities of its own are not expanded: what is undeclared is an error
  parser.on('opentag', ({ name }) => {
    if (open.length > DEEPEST) throw new Error('the document nests too deep');
    open.push({ name, node: {}, text: '' });
  });
  parser.on('text', (part) => void (open.at(-1)!.text += part));
  parser.on('cdata', (part) => void (open.at(-1)!.text += part));
  parser.on('closetag', () => {
    const { name, node, text: own } = open.pop()!;
    const value: unknown = Object.keys(node).length > 0 ? node : own.trim();
    const holder = open.at(-1)!.node;
    const before = Object.hasOwn(holder, name) ? holder[name] : undefined;
    if (before === undefined) Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true });
    else holder[name] = Array.isArray(before) ? [...(before as unknown[]), value] : [before, value];
  });
  parser.write(text).close();
  return root.node;
}
