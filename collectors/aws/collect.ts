import { atMost, type Step, type Work } from '../at-most.js';
import { Patience } from '../patience.js';
import type { CollectedRecord, Skipped, Target } from '../types.js';
import { keysOf, openClient } from './clients.js';
import { askGroup, RegionClosed, type AwsRecord } from './group.js';
import { assertOfAccount, homeOf, isAsked, isTaken, keyOf, type AwsCollectorOptions } from './key.js';
import type { CallGroup } from './lines.js';
import { REGIONS } from './services/ec2.js';
import { GROUPS } from './services/index.js';
import { thingsAt } from './printed.js';

/** Services of regions that are asked at the same time; each makes calls beside each other, at the pace of its own. */
const MOST_GROUPS = 24;

/**
 * Asks an account of AWS for all that there is in the target's regions and services, some services of some regions at a time.
 * @throws ConnectionRefused when the key is not taken; the reason of the signal
 */
export async function* collectAws(options: AwsCollectorOptions, target: Target, signal: AbortSignal): AsyncGenerator<CollectedRecord> {
  /** Services of a region, and whether they have told all; several groups may ask one. */
  const parts = new Map<string, boolean>();
  const home = homeOf(target);
  const key = await keyOf(options, target, home, signal);
  await assertOfAccount(options, target, home, key, signal);
  const keys = keysOf(options, target, home, key, signal);

  // who stops to listen ends all that is being asked
  const over = new AbortController();
  const listened = AbortSignal.any([signal, over.signal]);

  const askIn = async function* (group: CallGroup, region: string): AsyncGenerator<AwsRecord> {
    const own = new AbortController();
    const both = AbortSignal.any([listened, own.signal]);
    const stop = (): void => own.abort();
    const { client, commands } = await openClient(group, options, region, keys, both);
    const place = { account: target.account_id, region };
    const told = group.global ? undefined : region;
    const part = told === undefined ? group.command : `${group.command} ${told}`;
    let isWhole = true;
    const isReached = async (): Promise<boolean> => isTaken(options, region, (await keys()).key, both);
    const tries = { pauses: options.pauses, patience: new Patience(options.patienceMs) };
    try {
      for await (const record of askGroup({ group, client, commands, region: told, place, signal: both, isReached, tries, stop })) {
        isWhole &&= !('not_answered' in record);
        yield { ...record, part };
      }
      parts.set(part, isWhole && parts.get(part) !== false);
    } finally {
      client.destroy();
    }
  };
  /** Regions that have turned out to be closed to the key: nothing more is asked there, and it is told once. */
  const closed = new Set<string>();
  const workIn = (group: CallGroup, region: string): Work<AwsRecord | Skipped> =>
    async function* (): AsyncGenerator<Step<AwsRecord | Skipped>> {
      if (closed.has(region)) return;
      try {
        for await (const item of askIn(group, region)) yield { item };
      } catch (error) {
        if (!(error instanceof RegionClosed)) throw error;
        if (closed.has(region)) return;
        closed.add(region);
        // a key that is taken nowhere any more ends it all
        await assertOfAccount(options, target, home, await keyOf(options, target, home, listened), listened);
        const { not_answered: _said, ...record } = error.record;
        yield { item: { ...record, region, skipped: `The region ${region} is not one that is enabled in the account.` } };
      }
    };

  const regions = [...target.regions];
  if (regions.length === 0)
    for await (const record of atMost(1, [workIn(REGIONS, home)], () => over.abort())) {
      yield record;
      if ('response' in record) regions.push(...thingsAt(record.response, 'Regions').map(({ RegionName }) => String(RegionName)));
    }
  // where the regions are not told, what is known is the one that was asked
  if (regions.length === 0) regions.push(home);
  const asked = GROUPS.filter((group) => isAsked(group, target, home));
  const global = asked.filter((group) => group.global).map((group) => workIn(group, home));
  // a service in all regions, then the next: each is asked at a pace of its own, so that the long ones are not left to the end
  const local = asked.filter((group) => !group.global).flatMap((group) => regions.map((region) => workIn(group, region)));
  yield* atMost(MOST_GROUPS, [...global, ...local], () => over.abort());
  yield { source: 'aws', whole: [...parts].flatMap(([part, isWhole]) => (isWhole ? [part] : [])).sort() };
}
