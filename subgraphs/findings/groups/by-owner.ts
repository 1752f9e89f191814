import { createTimeSlice } from '../../../kit/base/time-slice.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import {
  addMoments,
  addGroup,
  emptyGroup,
  groupsOf,
  readMoments,
  type GroupCounts,
  type GroupMoments,
} from '../../../kit/findings/groups.js';
import { keptUntilChange } from '../../../kit/findings/kept.js';
import { readAssetsVersion, readOwners } from '../../../kit/read/owned-assets.js';
import type { Part, Way } from './way.js';

/** Folds what there is of resources into one of each owner; resources of nobody are one, too. */
async function folded<T extends { readonly value: string | null }>(
  ofResources: readonly T[],
  owners: ReadonlyMap<string, string>,
  empty: (owner: string | null) => T,
  add: (sum: T, one: T) => void,
): Promise<T[]> {
  const sums = new Map<string | null, T>();
  const pause = createTimeSlice();
  for (const one of ofResources) {
    await pause();
    const owner = (one.value === null ? undefined : owners.get(one.value)) ?? null;
    const sum = sums.get(owner) ?? empty(owner);
    sums.set(owner, sum);
    add(sum, one);
  }
  return [...sums.values()];
}

/**
 * By the owners that the inventory knows of resources now. Findings do not say whose they are, so groups of resources are folded; the owners are read
 * once for all engines, and only where an answer is not kept: until a finding of the engine, or an asset, changes.
 */
export async function byOwner(context: EngineContext): Promise<Way> {
  const version = await readAssetsVersion(context);
  let read: Promise<ReadonlyMap<string, string>> | undefined;
  const owners = () => (read ??= version === null ? Promise.resolve(new Map()) : readOwners(context));
  const kept = <T>({ database, selection: { wanted, excluded } }: Part, what: string, fold: () => Promise<T>) =>
    keptUntilChange(database, `${what} by owner ${JSON.stringify([version, excluded])}`, wanted, fold);
  return {
    groups: (part) =>
      kept(part, 'groups', async () =>
        folded<GroupCounts>(
          await groupsOf(part.database, 'resource_uid', part.selection),
          await owners(),
          (owner) => emptyGroup(owner, null),
          addGroup,
        ),
      ),
    moments: (part, _values, since) =>
      kept(part, `moments since ${since.toISOString()}`, async () =>
        folded<GroupMoments>(
          await readMoments(part.database, 'resource_uid', null, part.selection, since),
          await owners(),
          (value) => ({ value, fresh: 0, oldest: null }),
          addMoments,
        ),
      ),
  };
}
