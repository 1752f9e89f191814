import type { Index, KeyRange } from '../storage/index.js';
import type { KeyTest } from './key-test.js';

/** A walk over an index. */
export interface IndexScan {
  readonly kind: 'index';
  readonly index: Index;
  readonly ranges: readonly KeyRange[];
  /** How many leading characters of each range's keys are equal components: what follows them is in sort order. */
  readonly prefixes: readonly number[];
  readonly reverse: boolean;
  /** Whether the walk gives the wanted order. */
  readonly sorted: boolean;
  /** Whether the ranges must be walked side by side for that order. */
  readonly merged: boolean;
  /** What a key within the ranges is tested for, from the end of its prefix on. */
  readonly test: KeyTest | undefined;
  /** Whether every key in the ranges that passes the test is of a matching document, so that no document need be looked at. */
  readonly exact: boolean;
}

/** A look at one key of a unique index. */
export interface PointLookup {
  readonly kind: 'point';
  readonly index: Index;
  readonly key: string;
}

/** A look at documents by their encoded _id. */
export interface IdLookup {
  readonly kind: 'ids';
  readonly ids: readonly string[];
}

/** How to find the documents of a query. */
export type Plan =
  | IndexScan
  | IdLookup
  | PointLookup
  | { readonly kind: 'or'; readonly branches: readonly (IndexScan | IdLookup | PointLookup)[] }
  | { readonly kind: 'collection' };
