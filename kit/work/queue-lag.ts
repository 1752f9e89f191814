import type { Clock } from '../base/clock.js';
import type { TenantCollection } from '../store/tenant-collection.js';
import type { JobRow } from './jobs.js';

/** How a tenant's jobs of one kind stand. */
export interface QueueState {
  kind: string;
  /** Jobs that wait, and that a worker is on. */
  waiting: number;
  running: number;
  /** How long the one that is due for longest has waited, in milliseconds; 0 when none is due. */
  lag_ms: number;
}

/** How the jobs of a tenant stand, by kind. */
export async function readQueues(rows: TenantCollection<JobRow>, storeClock: Clock): Promise<QueueState[]> {
  const groups = await rows.aggregate<{ _id: { kind: string; state: string }; n: number; due_at: Date | null }>([
    { $match: { state: { $in: ['queued', 'leased'] } } },
    { $group: { _id: { kind: '$kind', state: '$state' }, n: { $sum: 1 }, due_at: { $min: '$due_at' } } },
  ]);
  const now = storeClock.now().getTime();
  const kinds = [...new Set(groups.map(({ _id }) => _id.kind))].sort();
  return kinds.map((kind) => {
    const of = (state: string) => groups.find(({ _id }) => _id.kind === kind && _id.state === state);
    const waiting = of('queued');
    return {
      kind,
      waiting: waiting?.n ?? 0,
      running: of('leased')?.n ?? 0,
      lag_ms: waiting?.due_at ? Math.max(0, now - waiting.due_at.getTime()) : 0,
    };
  });
}
