import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { assets } from '../records.js';
import { resolveLinks } from './resolve.js';

/** How often a process looks for what is due and no run resolves, in milliseconds: one index entry is read. */
const LOOKS_EVERY = 10_000;

/** Resolves what is due and no run does: images that scanners describe, those of the process that was killed, and assets of earlier releases. */
export const linksTask: BackgroundTask = {
  name: 'links',
  async run(services, signal) {
    while (!signal.aborted) {
      try {
        for await (const tenantId of tenantsWithDue(services)) await resolveLinks(services, tenantId, signal);
      } catch (error) {
        if (!signal.aborted) services.logger.error({ err: error }, 'references between assets could not be resolved');
      }
      await sleep(LOOKS_EVERY, undefined, { signal }).catch(() => undefined);
    }
  },
};

async function* tenantsWithDue({ database }: EngineServices): AsyncGenerator<string> {
  for (let last = ''; ;) {
    const condition = { tenant_id: { $gt: last }, links_due: { $exists: true } };
    const next = await database.system(assets).findOne(condition, { sort: { tenant_id: 1 }, fields: ['tenant_id'] });
    if (next === null) return;
    yield (last = next.tenant_id);
  }
}
