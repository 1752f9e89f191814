import type { DependencyInput } from '../../../schema/artifacts.js';
import type { ComponentRow, SbomRow } from './records.js';

/** How a document of one kind is written, piece by piece. */
export interface BomWriter {
  readonly mediaType: string;
  /** All that stands before the first component. */
  head(sbom: SbomRow): string;
  /** A component, once for each time that its document listed it. */
  components(row: ComponentRow): object[];
  /** What stands between the last component and the first dependency. */
  between(sbom: SbomRow): string;
  /** Whether no member of the list of dependencies is written by `between`. */
  beginsDependencies(sbom: SbomRow): boolean;
  dependencies(edges: readonly DependencyInput[], sbom: SbomRow): object[];
  /** What stands behind the last dependency. */
  readonly tail: string;
}

/** Members that hold something. */
export const filled = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value != null && !(Array.isArray(value) && value.length === 0)));

/** A list of members without its last bracket, so that a list can follow. */
export const open = (members: object): string => JSON.stringify(members).slice(0, -1);
