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
