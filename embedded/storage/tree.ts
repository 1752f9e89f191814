import * as sortedBTree from 'sorted-btree';
import { compareKeys } from '../bson/key-range.js';

/** A B+ tree from encoded keys to values. */
export type Tree<V> = InstanceType<typeof sortedBTree.default.default<string, V>>;

type TreeClass = typeof sortedBTree.default.default;

// The package is CommonJS: depending on who loads it, the class is the default export or that one's `default`.
const exported: unknown = sortedBTree.default;
const BTree = (typeof exported === 'function' ? exported : (exported as { default: unknown }).default) as TreeClass;

const NODE_SIZE = 64;

/** An empty tree. */
export function createTree<V>(): Tree<V> {
  return new BTree<string, V>(undefined, compareKeys, NODE_SIZE);
}
