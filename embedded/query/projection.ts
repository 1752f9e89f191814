import { BSON, childrenOf, elementsOf, type RawElement, RawValue, someValue } from '../bson/raw.js';
import { containerOf, documentOf, rawDocument, toRaw } from '../bson/write.js';
import { decodeDocument, decodeValue } from '../bson/decode.js';
import { isNumberType, readWholeNumber } from '../bson/number.js';
import { runStages } from '../aggregate/run-stages.js';
import { CommandError, notSupported } from '../errors.js';
import { compileFilter, type Matcher } from './match.js';
import { isTruthy, parseFilter } from './parse.js';

/** Makes the projected document of a raw document. */
export type Projector = (bytes: Buffer) => Buffer;

/** What a projection says about a name: keep or drop it (true), look inside, or take a part of the array. */
type Node = true | Tree | { readonly part: (array: RawValue) => RawValue | undefined };
interface Tree {
  readonly names: Map<string, Node>;
}

/** Compiles a find projection, or answers undefined for an empty one. */
export function compileProjection(projection: RawValue | undefined): Projector | undefined {
  const elements = projection ? childrenOf(projection) : [];
  if (elements.length === 0) return undefined;
  if (elements.some(isComputed)) return computed(elements);
  const include = isInclusion(elements);
  const tree: Tree = { names: new Map() };
  let keepId = true;
  for (const { name, value } of elements) {
    const part = partOf(value);
    if (name === '_id' && !part) {
      keepId = isTruthy(value);
      continue;
    }
    if (!part && isTruthy(value) !== include) {
      throw new CommandError(
        include ? 31254 : 31253,
        `Cannot do ${include ? 'exclusion' : 'inclusion'} on field ${name} in ${include ? 'inclusion' : 'exclusion'} projection`,
      );
    }
    place(tree, name, part ? { part } : true);
  }
  if (include && keepId) place(tree, '_id', true);
  if (!include && !keepId) place(tree, '_id', true);
  return (bytes) => documentOf(project(elementsOf(bytes), tree, include));
}

function isInclusion(elements: readonly RawElement[]): boolean {
  const plain = elements.filter((e) => !partOf(e.value));
  const other = plain.find((e) => e.name !== '_id');
  if (other) return isTruthy(other.value);
  if (elements.some((e) => e.value.type === BSON.object && childrenOf(e.value)[0]?.name === '$elemMatch')) return true;
  const id = plain[0];
  return id !== undefined && isTruthy(id.value);
}

function place(tree: Tree, name: string, node: Node): void {
  if (name.endsWith('.$')) throw notSupported('A positional projection');
  const parts = name.split('.');
  let at = tree;
  for (const part of parts.slice(0, -1)) {
    const next = at.names.get(part);
    if (next === true || (next && 'part' in next)) throw new CommandError(31249, `Path collision at ${name}`);
    const child: Tree = next ?? { names: new Map() };
    at.names.set(part, child);
    at = child;
  }
  const last = parts[parts.length - 1]!;
  if (at.names.has(last) && name !== '_id') throw new CommandError(31250, `Path collision at ${name}`);
  at.names.set(last, node);
}

function project(elements: readonly RawElement[], tree: Tree, include: boolean): RawElement[] {
  const kept: RawElement[] = [];
  for (const element of elements) {
    const node = tree.names.get(element.name);
    if (node === undefined) {
      if (!include) kept.push(element);
    } else if (node === true) {
      if (include) kept.push(element);
    } else {
      const value = 'part' in node ? node.part(element.value) : inside(element.value, node, include);
      if (value) kept.push({ name: element.name, value });
    }
  }
  return kept;
}

function inside(value: RawValue, tree: Tree, include: boolean): RawValue | undefined {
  if (value.type === BSON.object) return containerOf(BSON.object, project(childrenOf(value), tree, include));
  if (value.type !== BSON.array) return include ? undefined : value;
  const items = childrenOf(value).flatMap((e) => inside(e.value, tree, include) ?? []);
  return containerOf(
    BSON.array,
    items.map((item, i) => ({ name: String(i), value: item })),
  );
}

/** The part of an array that $slice or $elemMatch takes, or undefined for a plain 0 or 1. */
function partOf(value: RawValue): ((array: RawValue) => RawValue | undefined) | undefined {
  if (value.type !== BSON.object) return undefined;
  const operator = childrenOf(value)[0];
  if (operator?.name === '$elemMatch') return firstMatching(compileElement(operator.value));
  if (operator?.name !== '$slice') return undefined;
  const numbers =
    operator.value.type === BSON.array
      ? childrenOf(operator.value).map((e) => readWholeNumber(e.value))
      : [readWholeNumber(operator.value)];
  const [first, second] = numbers;
  if (first === undefined || numbers.length > 2 || (numbers.length === 2 && (second === undefined || second <= 0)))
    throw new CommandError(28667, 'Invalid $slice projection');
  return (array) => {
    if (array.type !== BSON.array) return array;
    const items = childrenOf(array);
    const start =
      second === undefined ? (first < 0 ? Math.max(0, items.length + first) : 0) : first < 0 ? Math.max(0, items.length + first) : first;
    const length = second ?? Math.abs(first);
    return containerOf(
      BSON.array,
      items.slice(start, start + length).map((e, i) => ({ name: String(i), value: e.value })),
    );
  };
}

function compileElement(condition: RawValue): Matcher {
  const wrapped = documentOf([{ name: 'e', value: containerOf(BSON.object, [{ name: '$elemMatch', value: condition }]) }]);
  return compileFilter(parseFilter(rawDocument(wrapped)));
}

function firstMatching(matches: Matcher): (array: RawValue) => RawValue | undefined {
  return (array) => {
    if (array.type !== BSON.array) return undefined;
    let found: RawValue | undefined;
    someValue(array.buf, array.off, (type, off, end) => {
      const single = containerOf(BSON.array, [{ name: '0', value: new RawValue(type, array.buf, off, end) }]);
      if (!matches(documentOf([{ name: 'e', value: single }]), 0)) return false;
      found = single;
      return true;
    });
    return found;
  };
}

function isComputed({ value }: RawElement): boolean {
  if (value.type === BSON.bool || isNumberType(value.type)) return false;
  if (value.type === BSON.object && partOf(value)) return false;
  if (value.type === BSON.object && childrenOf(value)[0]?.name === '$meta') throw notSupported('A projection of $meta');
  return true;
}

/** A projection with expressions is an aggregation $project stage. */
function computed(elements: readonly RawElement[]): Projector {
  if (elements.some((e) => partOf(e.value))) throw notSupported('$slice or $elemMatch beside expressions in a projection');
  const stage = { $project: decodeValue(rawDocument(documentOf(elements))) };
  return (bytes) => {
    const [projected] = runStages([decodeDocument(bytes)], [stage]);
    return toRaw(projected ?? {});
  };
}
