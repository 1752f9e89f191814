import type { QueryPlanSelectionNode } from '@apollo/query-planner';
import { isAbstractType, isObjectType, type GraphQLSchema } from 'graphql';
import type { Path } from './fetch-errors.js';
import { otherCallers, sliceIsOver } from '../../kit/base/time-slice.js';

export type Row = Record<string, unknown>;

/** A place in the answer, as a chain: most are never needed as a path, which only errors have. */
export interface Place {
  readonly up: Place | null;
  readonly key: string | number;
}

/** An object of the merged data and its place in the answer; null is the top. */
export interface Target {
  readonly row: Row;
  readonly place: Place | null;
}

/** The path of a place, outermost key first. */
export function pathOf(place: Place | null): Path {
  const path: (string | number)[] = [];
  for (let at = place; at; at = at.up) path.unshift(at.key);
  return path;
}

/** One `_entities` argument and all the rows that wait for it. */
export interface Representation {
  readonly value: Row;
  readonly targets: Target[];
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects at `path` below `targets`; `@` steps into a list. Lets other callers in between. */
export async function targetsAt(targets: readonly Target[], path: Path): Promise<Target[]> {
  const found: Target[] = [];
  const step = (value: unknown, depth: number, place: Place | null) => {
    if (value === null || value === undefined) return;
    if (depth === path.length) {
      if (isRow(value)) found.push({ row: value, place });
      return;
    }
    const key = path[depth]!;
    if (key !== '@') step((value as Row)[key], depth + 1, { up: place, key });
    else if (Array.isArray(value))
      for (let index = 0; index < value.length; index += 1) step(value[index], depth + 1, { up: place, key: index });
  };
  for (const target of targets) {
    if (sliceIsOver()) await otherCallers();
    step(target.row, 0, target.place);
  }
  return found;
}

function isOfType(schema: GraphQLSchema, row: Row, condition: string): boolean {
  if (row.__typename === condition) return true;
  const [type, abstract] = [schema.getType(String(row.__typename)), schema.getType(condition)];
  return isObjectType(type) && isAbstractType(abstract) && schema.isSubType(abstract, type);
}

/** What `requires` selects of a row, put into `result`; null when something of it is not there. */
function select(schema: GraphQLSchema, row: Row, requires: readonly QueryPlanSelectionNode[], result: Row = {}): Row | null {
  for (const node of requires) {
    if (node.kind === 'InlineFragment') {
      if (node.typeCondition && isOfType(schema, row, node.typeCondition) && !select(schema, row, node.selections, result)) return null;
      continue;
    }
    const key = node.alias ?? node.name;
    const value = row[key];
    if (value === undefined) return null;
    const { selections } = node;
    const inner = (element: unknown) => (selections && isRow(element) ? select(schema, element, selections) : element);
    result[key] = selections && Array.isArray(value) ? value.map(inner) : inner(value);
  }
  return result;
}

/** The representations of `targets`, each once however many rows ask for it. Lets other callers in between. */
export async function representationsOf(
  schema: GraphQLSchema,
  targets: readonly Target[],
  requires: readonly QueryPlanSelectionNode[],
): Promise<Representation[]> {
  const unique = new Map<string, Representation>();
  for (const target of targets) {
    if (sliceIsOver()) await otherCallers();
    const value = select(schema, target.row, requires);
    if (value?.__typename === undefined) continue;
    const key = JSON.stringify(value);
    const known = unique.get(key);
    if (known) known.targets.push(target);
    else unique.set(key, { value, targets: [target] });
  }
  return [...unique.values()];
}

/** Adds what a fetch gave to a row, object by object and list by list. */
export function mergeInto(target: Row, source: Row): void {
  if (target === source) return;
  for (const key of Object.keys(source)) {
    const value = source[key];
    const present = target[key];
    if (present === value) continue;
    if (isRow(present) && isRow(value)) mergeInto(present, value);
    else if (Array.isArray(present) && Array.isArray(value) && present.length === value.length) mergeLists(target, key, present, value);
    else if (key !== '__proto__') target[key] = value;
  }
}

function mergeLists(parent: Row, key: string, present: readonly unknown[], given: readonly unknown[]): void {
  parent[key] = present.map((element, index) => {
    const other = given[index];
    if (isRow(element) && isRow(other)) mergeInto(element, other);
    return isRow(element) ? element : other;
  });
}
