import type { BackgroundTask } from '../../kit/engine/background.js';
import type { EngineServices } from '../../kit/engine/context.js';
import type { Database } from '../../kit/store/database.js';
import { Wakeup } from '../../kit/work/wakeup.js';
import { assets } from './records.js';

/** How often a process looks for what is due when nothing wakes it, in milliseconds: one index entry is read. */
const LOOKS_EVERY = 10_000;

interface DueWork {
  readonly name: string;
  /** The column that marks assets with which there is work to do. */
  readonly column: 'links_due' | 'rescore_due';
  /** Does what is due of a tenant, and takes the marks away. */
  work(services: EngineServices, tenantId: string, signal: AbortSignal): Promise<void>;
  /** Said when it fails; the next look tries again. */
  readonly failed: string;
  /** Where marks of this process are told. */
  readonly wakeup?: (database: Database) => Wakeup;
}

/** Works off what is due with assets and no run does: what people have changed, what a process that was killed has left, and assets of earlier releases. */
export const dueTask = ({ name, column, work, failed, wakeup }: DueWork): BackgroundTask => ({
  name,
  async run(services, signal) {
    const waking = wakeup?.(services.database) ?? new Wakeup();
    while (!signal.aborted) {
      const { turn } = waking;
      try {
        for await (const tenantId of tenantsWith(services, column)) await work(services, tenantId, signal);
      } catch (error) {
        if (!signal.aborted) services.logger.error({ err: error }, failed);
      }
      await waking.sleep(LOOKS_EVERY, signal, turn);
    }
  },
});

async function* tenantsWith({ database }: EngineServices, column: DueWork['column']): AsyncGenerator<string> {
  for (let last = ''; ;) {
    const condition = { tenant_id: { $gt: last }, [column]: { $exists: true } };
    const next = await database.system(assets).findOne(condition, { sort: { tenant_id: 1 }, fields: ['tenant_id'] });
    if (next === null) return;
    yield (last = next.tenant_id);
  }
}
