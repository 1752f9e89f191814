import type { Clock } from '../kit/base/clock.js';
import { callCounts } from '../kit/store/call-counts.js';
import type { Database } from '../kit/store/database.js';
import type { RateLimiter } from './rate-limit.js';

/** Milliseconds between two writes: a process that is killed loses what it counted since. */
const FLUSH_EVERY = 10_000;

/** Counts the calls of tenants by day: in memory, and a few times a minute in the store, so that no call waits for it. */
export class CallMeter {
  private counted = new Map<string, { tenantId: string; day: string; calls: number }>();
  private readonly timer: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  /** @param failed is told what kept a count from being written; it is written with the next */
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly failed: (error: unknown) => void,
  ) {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY).unref();
  }

  count(tenantId: string, calls: number): void {
    const day = this.clock.now().toISOString().slice(0, 10);
    const key = `${tenantId}|${day}`;
    const known = this.counted.get(key);
    if (known) known.calls += calls;
    else this.counted.set(key, { tenantId, day, calls });
  }

  /** Writes what was counted. @returns when it is written, or was told to have failed */
  flush(): Promise<void> {
    return (this.writing = this.writing.then(() => this.write()));
  }

  /** Counts on in memory only, and writes what was counted. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async write(): Promise<void> {
    const counted = this.counted;
    this.counted = new Map();
    for (const [_id, { tenantId, day, calls }] of counted) {
      const rows = this.database.tenant(tenantId).collection(callCounts);
      try {
        await rows.bulkUpdate([{ _id, update: { $inc: { calls }, $setOnInsert: { day } }, upsert: true }]);
      } catch (error) {
        this.failed(error);
        const again = this.counted.get(_id) ?? { tenantId, day, calls: 0 };
        this.counted.set(_id, { ...again, calls: again.calls + calls });
      }
    }
  }
}

/** A limiter whose admitted calls are counted for their tenant, too. */
export const metered = (limiter: RateLimiter, meter: Pick<CallMeter, 'count'>): RateLimiter => ({
  consume: async (caller, cost = 1) => {
    const decision = await limiter.consume(caller, cost);
    if (decision.allowed) meter.count(caller.tenant_id, cost);
    return decision;
  },
  consumeAddress: (address, cost) => limiter.consumeAddress(address, cost),
  peek: (caller) => limiter.peek(caller),
  peekAddress: (address) => limiter.peekAddress(address),
  consumeHook: (id) => limiter.consumeHook(id),
  consumeAgent: (name) => limiter.consumeAgent(name),
});
