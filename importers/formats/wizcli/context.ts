import type { Surroundings } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import type { SecretRanks } from '../../normalize/secret-finding.js';
import type { ImportOptions } from '../../types.js';

/** What the records of a report share. */
export interface WizcliContext {
  surroundings: Surroundings;
  place: PlaceDraft;
  isImage: boolean;
  /** The directory that was scanned. */
  root: string | undefined;
  ranks: SecretRanks;
  options: ImportOptions;
}
