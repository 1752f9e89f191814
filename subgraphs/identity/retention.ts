import { periodic } from '../../kit/engine/background.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { applyRule } from '../../kit/engine/retention.js';
import { tenants } from '../../accounts/records.js';

const EVERY = 6 * 3_600_000;

/** Removes in every tenant what is older than the tenant keeps it. */
export const retentionTask = periodic('retention', EVERY, applyRetention);

/** One round over all tenants and rules. A rule that fails in one tenant is logged, and holds up no other. */
export async function applyRetention(services: EngineServices, signal: AbortSignal): Promise<void> {
  for await (const tenant of services.database.system(tenants).scan({ ends_at: null }, { fields: ['tenant_id', 'settings'] })) {
    for (const rule of services.retention) {
      signal.throwIfAborted();
      await applyRule(services, rule, tenant, signal).catch((error: unknown) => {
        if (signal.aborted) throw error;
        services.logger.error({ err: error, tenant: tenant.tenant_id, rule: rule.what }, 'what is old could not be removed');
      });
    }
  }
}
