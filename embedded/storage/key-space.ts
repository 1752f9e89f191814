// Where things lie in the database: every key begins with a letter for its kind and the number of its collection or index.
import { RECORD_NUMBER_SIZE } from '../bson/key.js';

const DIGITS = 64;
/** The number of a collection or an index as three characters. Numbers are never used again. */
const NUMBER_SIZE = 3;

function fixed(number: number): string {
  const digit = (value: number): string => String.fromCharCode(48 + (value % DIGITS));
  return digit(Math.floor(number / DIGITS / DIGITS)) + digit(Math.floor(number / DIGITS)) + digit(number);
}

/** Before the record numbers of a collection's rows. */
export function rowPrefix(collection: number): string {
  return `r${fixed(collection)}`;
}

/** Before the keys of an index. */
export function indexPrefix(index: number): string {
  return `i${fixed(index)}`;
}

/** How many characters stand before a row's number, or an index's key. */
export const PREFIX_SIZE = 1 + NUMBER_SIZE;

/** A collection's entry in the catalog. */
export function catalogKey(collection: number): string {
  return `c${fixed(collection)}`;
}

/** What changes with every write to a collection: its sizes. */
export function sizesKey(collection: number): string {
  return `s${fixed(collection)}`;
}

/** Ranges that were dropped and are still to be cleared. */
export function droppedKey(prefix: string): string {
  return `d${prefix}`;
}

/** What is of the whole database: the form of its keys, and the next number of a collection or an index. */
export const META_KEY = 'm';

/** How many commits there were. */
export const COMMITS_KEY = 'n';

/** Written to bring what came before to the disk. */
export const SYNC_KEY = 'y';

/** The range of the keys that begin with a letter. */
export function rangeOfKind(kind: 'c' | 's' | 'd'): { gte: string; lt: string } {
  return { gte: kind, lt: String.fromCharCode(kind.charCodeAt(0) + 1) };
}

/** The key of a row. */
export function rowKey(prefix: string, number: number): string {
  return prefix + numberText(number);
}

/** A record number (up to 2^49) as characters that sort as it does: seven bits each, so that UTF-8 takes a byte. */
export function numberText(number: number): string {
  let text = '';
  let left = number;
  for (let i = 0; i < RECORD_NUMBER_SIZE; i++) {
    text = String.fromCharCode(left % 128) + text;
    left = Math.floor(left / 128);
  }
  return text;
}

/** The record number at the end of a key. */
export function numberAtEnd(key: string): number {
  let number = 0;
  for (let i = key.length - RECORD_NUMBER_SIZE; i < key.length; i++) number = number * 128 + key.charCodeAt(i);
  return number;
}
