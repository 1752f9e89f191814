import type { ArtifactInput, ComponentInput, DependencyInput } from '../../schema/artifacts.js';

/** Components of an artifact that are taken in together, and what depends on what. */
export interface ComponentBatch {
  readonly artifact: ArtifactInput;
  /** Its number among the batches of the artifact in this run, from 0 on; the same on every try. */
  readonly no: number;
  readonly components: readonly ComponentInput[];
  readonly dependencies: readonly DependencyInput[];
}
