import { namesOf, referencesOf, type Linked } from '../../../catalog/edges.js';
import type { AssetRow } from '../records.js';

/** Names that an asset's references are found by, at most. */
const MOST_WANTED = 2_000;

/** What is stored of an asset's names and references. */
export const LINK_COLUMNS = ['known_as', 'former_names', 'wants', 'links_due'] as const;
export type LinkColumns = Pick<AssetRow, (typeof LINK_COLUMNS)[number]>;

/** Under which names other resources refer to an asset, and by which it refers to others. */
export function linkColumns(asset: Linked): { known_as: string[]; wants: string[] } {
  const wants = new Set<string>();
  for (const { from, to } of referencesOf(asset))
    for (const names of [...(from ?? []), ...(to ?? [])]) for (const name of names) wants.add(name);
  return { known_as: namesOf(asset), wants: [...wants].slice(0, MOST_WANTED) };
}

/**
 * The columns of a described asset that is new, or described otherwise than it is stored. Due is `all` where others may find it, or find it no
 * longer; the names that it had are kept until these have been resolved again.
 */
export function changedLinks(asset: Linked, stored: LinkColumns | undefined): LinkColumns {
  const { known_as, wants } = linkColumns(asset);
  const names = new Set(known_as);
  const former_names = [...new Set([...(stored?.known_as ?? []), ...(stored?.former_names ?? [])])].filter((name) => !names.has(name));
  const isSame = stored?.known_as !== undefined && former_names.length === 0 && known_as.length === stored.known_as.length;
  if (known_as.length === 0 && wants.length === 0 && former_names.length === 0 && !stored?.wants?.length) return { known_as, wants };
  return {
    ...{ known_as, wants, links_due: isSame && stored.links_due !== 'all' ? 'own' : 'all' },
    ...(former_names.length > 0 && { former_names }),
  };
}
