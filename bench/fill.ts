import { getAuditLog } from '../kit/engine/create-context.js';
import type { FindingFacts } from '../kit/engine/finding-facts.js';
import { FindingStore } from '../kit/findings/store.js';
import type { Deployment } from './deployment.js';
import { observation } from './observations.js';

const BATCH = 1_000;

/** Gives an engine of the deployment's tenant the synthetic findings `from` up to `to`. */
export async function fill({ opened: { services }, tenantId }: Deployment, facts: FindingFacts, from: number, to: number): Promise<void> {
  const store = new FindingStore(services, getAuditLog(services), facts, tenantId);
  const run = { scan_run_id: 'bench', at: new Date(), format: 'bench' };
  for (let start = from; start < to; start += BATCH) {
    const length = Math.min(BATCH, to - start);
    await store.ingest(
      run,
      Array.from({ length }, (_, n) => store.prepare(run, observation(start + n))),
    );
  }
}
