import type { RawValue } from '../bson/raw.js';
import type { FieldPath } from './path.js';

export type CompareOperator = '$eq' | '$gt' | '$gte' | '$lt' | '$lte';

/** A test of the values at a path. */
export type PathFilter =
  | { readonly kind: 'compare'; readonly path: FieldPath; readonly operator: CompareOperator; readonly value: RawValue }
  | { readonly kind: 'in'; readonly path: FieldPath; readonly values: readonly RawValue[] }
  | { readonly kind: 'exists'; readonly path: FieldPath }
  | { readonly kind: 'type'; readonly path: FieldPath; readonly types: ReadonlySet<number> }
  | { readonly kind: 'size'; readonly path: FieldPath; readonly size: number }
  | { readonly kind: 'mod'; readonly path: FieldPath; readonly divisor: number; readonly remainder: number }
  | { readonly kind: 'regex'; readonly path: FieldPath; readonly regex: RegExp; readonly value: RawValue }
  | { readonly kind: 'bits'; readonly path: FieldPath; readonly mask: bigint; readonly set: boolean; readonly all: boolean }
  | { readonly kind: 'elemMatchObject'; readonly path: FieldPath; readonly filter: Filter }
  | { readonly kind: 'elemMatchValue'; readonly path: FieldPath; readonly filter: Filter };

/** A parsed filter: what the matcher, the planner and positional updates read. */
export type Filter =
  | PathFilter
  | { readonly kind: 'and'; readonly filters: readonly Filter[] }
  | { readonly kind: 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'nor'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'expression'; readonly expression: RawValue }
  | { readonly kind: 'constant'; readonly value: boolean };

/** The conditions that must all hold, with nested $and taken apart. */
export function conjunctsOf(filter: Filter): readonly Filter[] {
  return filter.kind === 'and' ? filter.filters.flatMap(conjunctsOf) : [filter];
}
