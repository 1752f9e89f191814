import type { QueryPlanSelectionNode } from '@apollo/query-planner';
import { isAbstractType, isObjectType, type GraphQLSchema } from 'graphql';
import type { Path } from './fetch-errors.js';

export type Row = Record<string, unknown>;

/** An object of the merged data and its place in the answer. */
export interface Target {
  readonly row: Row;
  readonly path: Path;
}

/** One `_entities` argument and all the rows that wait for it. */
export interface Representation {
  readonly value: Row;
  readonly targets: Target[];
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects at `path` below `targets`; `@` steps into a list. */
export function targetsAt(targets: readonly Target[], path: Path): Target[] {
  const found: Target[] = [];
  const step = (value: unknown, depth: number, at: Path) => {
    if (value === null || value === undefined) return;
    if (depth === path.length) {
      if (isRow(value)) found.push({ row: value, path: at });
      return;
    }
    const key = path[depth]!;
    if (key === '@') {
      if (Array.isArray(value)) value.forEach((element, index) => step(element, depth + 1, [...at, index]));
    } else step((value as Row)[key], depth + 1, [...at, key]);
  };
  for (const target of targets) step(target.row, 0, target.path);
  return found;
}

function isOfType(schema: GraphQLSchema, row: Row, condition: string): boolean {
  if (row.__typename === condition) return true;
  const [type, abstract] = [schema.getType(String(row.__typename)), schema.getType(condition)];
  return isObjectType(type) && isAbstractType(abstract) && schema.isSubType(abstract, type);
}

/** What `requires` selects of a row, or null when something of it is not there. */
function select(schema: GraphQLSchema, row: Row, requires: readonly QueryPlanSelectionNode[]): Row | null {
  const result: Row = {};
  for (const node of requires) {
    if (node.kind === 'Field') {
      const key = node.alias ?? node.name;
      const value = row[key];
      if (value === undefined) return null;
      const { selections } = node;
      if (!selections || value === null) result[key] = value;
      else result[key] = Array.isArray(value) ? value.map((element) => (isRow(element) ? select(schema, element, selections) : element)) : select(schema, value as Row, selections);
    } else if (node.typeCondition && isOfType(schema, row, node.typeCondition)) {
      const inner = select(schema, row, node.selections);
      if (inner) mergeInto(result, inner);
    }
  }
  return result;
}

/** The representations of `targets`, each once however many rows ask for it. */
export function representationsOf(schema: GraphQLSchema, targets: readonly Target[], requires: readonly QueryPlanSelectionNode[]): Representation[] {
  const unique = new Map<string, Representation>();
  for (const target of targets) {
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
  for (const [key, value] of Object.entries(source)) {
    const present = target[key];
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
