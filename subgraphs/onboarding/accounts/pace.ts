import { setTimeout as sleep } from 'node:timers/promises';
import type { Pace } from '../../../collectors/paced.js';
import { RATES } from '../../../collectors/rates.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { callPaces, type CloudAccountRow } from './records.js';

/** Calls are drawn for half a second at a time, so that the store is asked twice a second at most. */
const DRAWN_MS = 500;
/** Milliseconds after which what was drawn is no longer made up for: whoever has drawn it was busy with something else. */
const STALE = 2_000;
/** Milliseconds for which nobody calls a host that asked for patience; half as much more is left to chance. */
const PAUSE = 1_000;
/** Milliseconds that one waits at most for others: what lies further ahead was written by a clock that was wrong. */
const FARTHEST = 60_000;

/** Calls that this process may make of one host. */
interface Drawn {
  left: number;
  /** From when on, and until when, by the time of the store. */
  readonly from: number;
  readonly until: number;
}

/** Waits. @throws the reason of the signal */
type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
const wait: Wait = (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => signal?.throwIfAborted());

/**
 * A bucket of calls an account and host, in the store, from which all workers draw: together they call a service no faster than one would. `free_at` is when all calls
 * that were drawn are made, at the steady rate (the generic cell rate algorithm of ITU-T I.371); what lies behind by no more than the bucket holds is free at once.
 */
export function sharedPace(
  { database, storeClock }: Pick<EngineServices, 'database' | 'storeClock'>,
  { tenant_id, account_id, provider }: Pick<CloudAccountRow, 'tenant_id' | 'account_id' | 'provider'>,
  pause: Wait = wait,
): Pace {
  const { steady, atOnce } = RATES[provider];
  const block = Math.ceil((steady * DRAWN_MS) / 1_000);
  const rows = database.tenant(tenant_id).collection(callPaces);
  const drawn = new Map<string, Drawn>();
  const drawing = new Map<string, Promise<void>>();
  const now = (): number => storeClock.now().getTime();
  const idOf = (host: string): string => `${tenant_id}|${account_id}|${host}`;

  const draw = async (host: string): Promise<void> => {
    for (;;) {
      const row = await rows.findOne({ _id: idOf(host) });
      const at = now();
      const free = row && row.free_at.getTime() < at + FARTHEST ? row.free_at.getTime() : 0;
      const from = Math.max(free, at - ((atOnce - block) / steady) * 1_000);
      const free_at = new Date(from + (block / steady) * 1_000);
      if (!(await move(host, row?.free_at ?? null, free_at))) continue;
      return void drawn.set(host, { left: block, from, until: Math.max(from, at) + STALE });
    }
  };
  /** @returns false when another worker has drawn meanwhile */
  const move = async (host: string, before: Date | null, free_at: Date): Promise<boolean> => {
    const _id = idOf(host);
    if (before) return (await rows.update({ _id, free_at: before }, { $set: { free_at } })).matched > 0;
    return (await rows.update({ _id }, { $setOnInsert: { account_id, host, free_at } }, { upsert: true })).upserted > 0;
  };

  return {
    async pass(host, signal) {
      for (;;) {
        signal?.throwIfAborted();
        const held = drawn.get(host);
        const ahead = (held?.from ?? 0) - now();
        if (held && held.left > 0 && ahead < FARTHEST && now() < held.until) {
          held.left--;
          if (ahead > 0) await pause(ahead, signal);
          return;
        }
        const draws = drawing.get(host) ?? draw(host).finally(() => drawing.delete(host));
        drawing.set(host, draws);
        await draws;
      }
    },
    async slowDown(host) {
      drawn.delete(host);
      const free_at = new Date(now() + PAUSE + (Math.random() * PAUSE) / 2);
      await rows.update({ _id: idOf(host) }, { $max: { free_at } });
    },
  };
}
