import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'risk_settings', engine: 'risk' };

/** What attack paths read of the figures that a tenant has set. */
export interface ReadRiskSettings {
  /** Step -> the tenant's own probability of it; steps without one are left out. */
  step_probabilities: Record<string, number>;
}

const own = defineReadOperation<Record<string, never>, ReadRiskSettings>(
  model,
  'query { result: risk_settings_model { step_probabilities } }',
);

/** The figures that the caller's tenant has set for its risk. @throws as `readModel` */
export const readRiskSettings = (context: EngineContext): Promise<ReadRiskSettings> => readModel(context, own, {});
