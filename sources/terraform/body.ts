import { bound, Trace, type Scope } from './scope.js';
import { elementsOf } from './sets.js';
import type { Block } from './syntax.js';
import { mapOf, setMember, Unknown, type Value, type ValueMap } from './value.js';

/** Arguments and blocks that Terraform takes itself. */
const META = new Set(['count', 'for_each', 'depends_on', 'provider', 'lifecycle', 'provisioner', 'connection', 'timeouts']);

/** Told of each attribute that is evaluated, with its path and what it refers to. */
export type OnAttribute = (path: readonly (string | number)[], trace: Trace) => void;

/** The attributes and blocks of a resource, or of a block in one, with their values. */
export function valuesOf(
  { attributes, blocks }: Pick<Block, 'attributes' | 'blocks'>,
  scope: Scope,
  onAttribute?: OnAttribute,
  path: readonly (string | number)[] = [],
): ValueMap {
  const made: ValueMap = {};
  const isTop = path.length === 0;
  for (const [name, expression] of attributes) {
    if (isTop && META.has(name)) continue;
    const trace = new Trace();
    setMember(made, name, scope.evaluate(expression, { ...scope, trace }));
    scope.trace.add(trace);
    onAttribute?.([...path, name], trace);
  }
  for (const name of new Set(blocks.map(({ type, labels }) => (type === 'dynamic' ? (labels[0] ?? '') : type))))
    if (name !== '' && !(isTop && META.has(name))) setMember(made, name, blocksOf(blocks, name, scope, onAttribute, [...path, name]));
  return made;
}

/**
 * The blocks of one name, dynamic ones made out. One that is made nobody knows how often stands as what says so: alone in the place of all, or
 * among the others.
 */
export function blocksOf(
  blocks: readonly Block[],
  name: string,
  scope: Scope,
  onAttribute?: OnAttribute,
  path: readonly (string | number)[] = [name],
): Value {
  const made: Value[] = [];
  for (const block of blocks) {
    if (block.type === name) made.push(valuesOf(block, scope, onAttribute, [...path, made.length]));
    else if (block.type === 'dynamic' && block.labels[0] === name) made.push(...dynamicOf(block, scope, onAttribute, path, made.length));
  }
  return made.length === 1 && made[0] instanceof Unknown ? made[0] : made;
}

function dynamicOf(
  block: Block,
  scope: Scope,
  onAttribute: OnAttribute | undefined,
  path: readonly (string | number)[],
  from: number,
): Value[] {
  const content = block.blocks.find(({ type }) => type === 'content');
  const forEach = block.attributes.get('for_each');
  if (content === undefined || forEach === undefined) return [];
  const trace = new Trace();
  const over = scope.evaluate(forEach, { ...scope, trace });
  scope.trace.add(trace);
  onAttribute?.([...path, from], trace);
  const elements = over === null ? [] : elementsOf(over);
  // `try` tells who reads it that there may be none
  if (elements === undefined) return [Unknown.of(`try(${forEach.text}, [])`)];
  const iterator = block.attributes.get('iterator')?.text ?? block.labels[0]!;
  return elements.map(([key, value], n) => {
    const inside = bound(
      scope,
      iterator,
      mapOf([
        ['key', key],
        ['value', value],
      ]),
    );
    return valuesOf(content, inside, onAttribute, [...path, from + n]);
  });
}
