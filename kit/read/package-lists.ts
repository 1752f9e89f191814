import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'package_lists', engine: 'secops' };

/** That the components of an artifact are known: since which document (ISO 8601), and how many there are. */
export interface ReadPackageList {
  artifact_id: string;
  observed_at: string;
  component_count: number;
}

const of = defineReadOperation<{ artifact_id: readonly string[] }, ReadPackageList[]>(
  model,
  'query($artifact_id: [ID!]!) { result: package_lists_model(artifact_id: $artifact_id) { artifact_id observed_at component_count } }',
);

/** Those of these artifacts whose components are known. At most 1,000. @throws as `readModel` */
export const readPackageLists = async (context: EngineContext, artifact_id: readonly string[]): Promise<ReadPackageList[]> =>
  artifact_id.length === 0 ? [] : readModel(context, of, { artifact_id });
