import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'attack_figures', engine: 'attack-path' };

/** A figure of attack paths: the probability that one serious attempt succeeds at a step, where a tenant has none of its own. */
export interface ReadAttackFigure {
  name: string;
  value: number;
  reason: string;
  reference: string | null;
}

const figures = defineReadOperation<Record<string, never>, ReadAttackFigure[]>(
  model,
  'query { result: attack_figures_model { name value reason reference } }',
);

/** The figures that attack paths go by, where a tenant has set none of its own. @throws as `readModel` */
export const readAttackFigures = (context: EngineContext): Promise<ReadAttackFigure[]> => readModel(context, figures, {});
