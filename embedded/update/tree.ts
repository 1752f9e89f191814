import { BSON, childrenOf, type RawElement, RawValue } from '../bson/raw.js';
import { containerOf } from '../bson/write.js';
import { CommandError } from '../errors.js';

/** A document being updated: opened only along the paths that change, raw bytes everywhere else. */
export type TreeNode = RawValue | ObjectNode | ArrayNode;

interface Entry {
  readonly name: string;
  readonly node: TreeNode;
  readonly start: number | undefined;
}

export class ObjectNode {
  readonly #entries = new Map<string, Entry>();

  constructor(value: RawValue) {
    for (const { name, value: node, start } of childrenOf(value)) this.#entries.set(name, { name, node, start });
  }

  get(name: string): TreeNode | undefined {
    return this.#entries.get(name)?.node;
  }

  /** @param start where the whole element lies, when it is one of this name. */
  set(name: string, node: TreeNode, start?: number): void {
    this.#entries.set(name, { name, node, start });
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }

  toElements(): RawElement[] {
    const elements: RawElement[] = [];
    for (const { name, node, start } of this.#entries.values())
      elements.push({ name, value: rawOf(node), start: node instanceof RawValue ? start : undefined });
    return elements;
  }
}

export class ArrayNode {
  readonly items: TreeNode[];

  constructor(value: RawValue) {
    this.items = childrenOf(value).map((e) => e.value);
  }
}

const NULL = new RawValue(BSON.null, Buffer.alloc(0), 0, 0);
const EMPTY_OBJECT = new RawValue(BSON.object, Buffer.from([5, 0, 0, 0, 0]), 0, 5);
const MAX_PADDING = 1_500_000;

/** The bytes of a node, assembled. */
export function rawOf(node: TreeNode): RawValue {
  if (node instanceof RawValue) return node;
  if (node instanceof ObjectNode) return containerOf(BSON.object, node.toElements());
  return containerOf(
    BSON.array,
    node.items.map((item, i) => ({ name: String(i), value: rawOf(item) })),
  );
}

function opened(node: TreeNode): TreeNode {
  if (!(node instanceof RawValue)) return node;
  if (node.type === BSON.object) return new ObjectNode(node);
  return node.type === BSON.array ? new ArrayNode(node) : node;
}

function arrayPosition(name: string): number | undefined {
  return /^(0|[1-9]\d*)$/.test(name) ? Number(name) : undefined;
}

function childOf(node: TreeNode, name: string): TreeNode | undefined {
  if (node instanceof ObjectNode) return node.get(name);
  const position = node instanceof ArrayNode ? arrayPosition(name) : undefined;
  return position === undefined ? undefined : (node as ArrayNode).items[position];
}

function setChild(node: TreeNode, name: string, child: TreeNode, path: readonly string[], start?: number): void {
  if (node instanceof ObjectNode) {
    node.set(name, child, start);
    return;
  }
  const position = node instanceof ArrayNode ? arrayPosition(name) : undefined;
  if (!(node instanceof ArrayNode) || position === undefined) {
    throw new CommandError(28, `Cannot create field '${name}' in element of the path '${path.join('.')}'`);
  }
  if (position - node.items.length > MAX_PADDING) throw new CommandError(2, `can't backfill more than ${MAX_PADDING} elements`);
  while (node.items.length < position) node.items.push(NULL);
  node.items[position] = child;
}

/** The value at a path, or undefined. */
export function getAt(root: TreeNode, path: readonly string[]): RawValue | undefined {
  let node: TreeNode | undefined = root;
  for (const name of path) node = node && childOf(opened(node), name);
  return node && rawOf(node);
}

/**
 * Sets the value at a path, making the objects on the way. Throws PathNotViable through a scalar.
 * @param start where the value lies as a whole element under the path's last name, if it does.
 */
export function setAt(root: ObjectNode, path: readonly string[], value: RawValue, start?: number): void {
  let node: TreeNode = root;
  for (const name of path.slice(0, -1)) {
    const found: TreeNode = opened(childOf(node, name) ?? EMPTY_OBJECT);
    setChild(node, name, found, path);
    node = found;
  }
  setChild(node, path[path.length - 1]!, value, path, start);
}

/** Removes the field at a path; in an array the element becomes null. */
export function unsetAt(root: ObjectNode, path: readonly string[]): void {
  let node: TreeNode = root;
  for (const name of path.slice(0, -1)) {
    const child = childOf(node, name);
    if (!child) return;
    const found = opened(child);
    if (found instanceof RawValue) return;
    setChild(node, name, found, path);
    node = found;
  }
  const last = path[path.length - 1]!;
  if (node instanceof ObjectNode) node.delete(last);
  else if (node instanceof ArrayNode && childOf(node, last)) setChild(node, last, NULL, path);
}
