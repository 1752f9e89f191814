import type { Plan } from '../base/auth-context.js';
import { defineReadOperation, readModel, type ReadModel, type ReadCaller } from './read-model.js';

const model: ReadModel = { name: 'tenant_plan', engine: 'identity' };

/** The plan of a tenant, and whose it is. */
export interface TenantPlan {
  organization_id: string;
  plan: Plan;
}

const own = defineReadOperation<Record<string, never>, TenantPlan | null>(
  model,
  'query { result: tenant_plan_model { organization_id plan } }',
);

/** The plan of the caller's tenant, for work that nobody's session carries; null when the tenant is gone or was ended. @throws as `readModel` */
export const readTenantPlan = (caller: ReadCaller): Promise<TenantPlan | null> => readModel(caller, own, {});
