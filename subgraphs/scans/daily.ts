import { systemAuthContext } from '../../kit/base/auth-context.js';
import { periodic } from '../../kit/engine/background.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import { endedTenants } from '../../kit/work/tenant-ends.js';
import { permissionsOf } from '../../schema/permissions.js';
import { auditHeads } from '../../kit/audit/audit.js';

const DAY = 86_400_000;

/** Derives anew what time alone changes, in every tenant: certificates expire and identities fall out of use without a report that says so. */
export const dailyDerivation = periodic('scans.daily', DAY, deriveDaily);

/** One round over all tenants. One that fails is logged, and holds up no other. */
export async function deriveDaily(services: EngineServices, signal: AbortSignal): Promise<void> {
  const ended = new Set(await endedTenants(services.database));
  for await (const { tenant_id } of services.database.system(auditHeads).scan({}, { fields: ['tenant_id'] })) {
    if (ended.has(tenant_id)) continue;
    signal.throwIfAborted();
    const auth = systemAuthContext(
      { tenant_id, organization_id: 'system', plan: 'starter' },
      'tenant_admin',
      permissionsOf('tenant_admin'),
    );
    const at = services.clock.now();
    const context = createEngineContext(services, 'scans', auth, signal);
    const run = { scan_run_id: `daily-${at.toISOString()}`, at };
    try {
      await services.ingest.daily(context, run);
      await services.ingest.conclude(context, run);
    } catch (error) {
      if (signal.aborted) throw error;
      services.logger.error({ err: error, tenant: tenant_id }, 'what time changes could not be derived');
    }
  }
}
