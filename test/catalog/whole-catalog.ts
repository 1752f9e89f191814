import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FAMILIES_FOLDER } from '../../catalog/catalog.js';
import { expandFamilies } from '../../catalog/expand.js';
import { readFamilies, type FamilySource } from '../../catalog/families.js';
import type { ExpandedRule } from '../../catalog/types.js';

/** The catalog as its files make it, with every mistake in them. */
export interface WholeCatalog {
  sources: FamilySource[];
  rules: ExpandedRule[];
  mistakes: string[];
}

/** Expands the families' files; a mistake in one does not hide the rest. */
export function expandWholeCatalog(): WholeCatalog {
  const mistakes: string[] = [];
  const sources = readFamilies(FAMILIES_FOLDER, mistakes);
  return { sources, rules: expandFamilies(sources, mistakes), mistakes };
}

const SHARED = resolve(__dirname, '../../../shared/data');

/** A folder or file of ../shared/data; undefined, and said so, where it is absent. */
export function sharedData(name: string): string | undefined {
  const path = join(SHARED, name);
  if (existsSync(path)) return path;
  console.warn(`${path} is absent; the tests over it are skipped`);
  return undefined;
}
