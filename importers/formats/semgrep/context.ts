import type { PlaceDraft } from '../../normalize/observation.js';
import type { ImportOptions } from '../../types.js';

/** What the results of a report share. */
export interface SemgrepContext {
  place: PlaceDraft;
  version: string | undefined;
  options: ImportOptions;
}
