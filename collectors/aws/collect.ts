import type { CollectedRecord, Skipped, Target } from '../types.js';
import { keysOf, openClient } from './clients.js';
import { askGroup, RegionClosed, type AwsRecord } from './group.js';
import { assertOfAccount, homeOf, isAsked, isTaken, keyOf, type AwsCollectorOptions } from './key.js';
import type { CallGroup } from './lines.js';
import { REGIONS } from './services/ec2.js';
import { GROUPS } from './services/index.js';
import { thingsAt } from './printed.js';

/**
 * Asks an account of AWS for all that there is in the target's regions and services, one service of one region after the other.
 * @throws ConnectionRefused when the key is not taken; the reason of the signal
 */
export async function* collectAws(options: AwsCollectorOptions, target: Target, signal: AbortSignal): AsyncGenerator<CollectedRecord> {
  /** Services of a region, and whether they have told all; several groups may ask one. */
  const parts = new Map<string, boolean>();
  const home = homeOf(target);
  const key = await keyOf(options, target, home, signal);
  await assertOfAccount(options, target, home, key, signal);
  const keys = keysOf(options, target, home, key, signal);

  const askIn = async function* (group: CallGroup, region: string): AsyncGenerator<AwsRecord> {
    // who stops to listen ends what is being asked
    const own = new AbortController();
    const both = AbortSignal.any([signal, own.signal]);
    const { client, commands } = await openClient(group, options, region, keys, both);
    const place = { account: target.account_id, region };
    const told = group.global ? undefined : region;
    const part = told === undefined ? group.command : `${group.command} ${told}`;
    let isWhole = true;
    const isReached = async (): Promise<boolean> => isTaken(options, region, (await keys()).key, both);
    try {
      const records = askGroup({
        group,
        client,
        commands,
        region: told,
        place,
        signal: both,
        isReached,
        pauses: options.pauses,
        stop: () => own.abort(),
      });
      for await (const record of records) {
        isWhole &&= !('not_answered' in record);
        yield { ...record, part };
      }
      parts.set(part, isWhole && parts.get(part) !== false);
    } finally {
      client.destroy();
    }
  };
  /** Asks groups until the region turns out to be closed to the key. */
  const askAll = async function* (groups: readonly CallGroup[], region: string): AsyncGenerator<AwsRecord | Skipped> {
    try {
      for (const group of groups) yield* askIn(group, region);
    } catch (error) {
      if (!(error instanceof RegionClosed)) throw error;
      // a key that is taken nowhere any more ends it all
      await assertOfAccount(options, target, home, await keyOf(options, target, home, signal), signal);
      const { not_answered: _said, ...record } = error.record;
      yield { ...record, region, skipped: `The region ${region} is not one that is enabled in the account.` };
    }
  };

  const regions = [...target.regions];
  if (regions.length === 0)
    for await (const record of askAll([REGIONS], home)) {
      yield record;
      if ('response' in record) regions.push(...thingsAt(record.response, 'Regions').map(({ RegionName }) => String(RegionName)));
    }
  const asked = GROUPS.filter((group) => isAsked(group, target, home));
  yield* askAll(
    asked.filter(({ global }) => global),
    home,
  );
  const local = asked.filter(({ global }) => !global);
  // where the regions are not told, what is known is the one that was asked
  for (const region of regions.length === 0 ? [home] : regions) yield* askAll(local, region);
  yield { source: 'aws', whole: [...parts].flatMap(([part, isWhole]) => (isWhole ? [part] : [])) };
}
