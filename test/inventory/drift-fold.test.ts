import type { AssetEvent } from '../../subgraphs/di/changes/records.js';
import { foldChanges } from '../../subgraphs/di/drift/fold.js';

/** Events of an asset, each with the day of its run. */
type Events = readonly (readonly [event: string | undefined, day: number])[];

/** What becomes of an asset by events. */
async function kindAfter(events: Events): Promise<string | undefined> {
  async function* rows() {
    for (const [event, day] of events)
      yield await Promise.resolve({
        resource_uid: 'a',
        event: event as AssetEvent | undefined,
        changed_at: new Date(Date.UTC(2026, 0, day)),
      });
  }
  const [found] = await foldChanges(rows());
  return found && `${found.kind} ${found.changes}`;
}

it.each<readonly [string | undefined, Events]>([
  ['added 0', [['added', 1]]],
  [
    'added 1',
    [
      ['added', 1],
      ['changed', 2],
    ],
  ],
  ['changed 1', [['changed', 1]]],
  [
    'changed 2',
    [
      ['changed', 1],
      [undefined, 2],
    ],
  ],
  ['removed 0', [['gone', 1]]],
  [
    'removed 1',
    [
      ['changed', 1],
      ['gone', 2],
    ],
  ],
  // came and went, and was only away for a while
  [
    undefined,
    [
      ['added', 1],
      ['gone', 2],
    ],
  ],
  [
    undefined,
    [
      ['gone', 1],
      ['returned', 2],
    ],
  ],
  [
    'changed 1',
    [
      ['gone', 1],
      ['returned', 2],
      ['changed', 3],
    ],
  ],
  // a run that brings an asset back and sees it changed notes both at one time, in any order
  [
    'added 1',
    [
      ['returned', 1],
      ['changed', 1],
    ],
  ],
  [
    'added 1',
    [
      ['changed', 1],
      ['returned', 1],
    ],
  ],
  [
    'changed 1',
    [
      ['gone', 1],
      ['changed', 2],
      ['returned', 2],
    ],
  ],
  // what is no change of the asset is passed over
  [undefined, [['disagreed', 1]]],
])('%s follows from %j', async (kind, events) => {
  expect(await kindAfter(events)).toBe(kind);
});
