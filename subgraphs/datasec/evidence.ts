import { z } from 'zod';
import { postureEvidence } from '../../kit/findings/posture-evidence.js';

/** `findingData` of a data finding: which store, which classes of data, and how they are exposed. Scanners add keys of their own. */
export const evidence = z.looseObject({
  ...postureEvidence,
  data_classes: z.array(z.string()).nullish().describe('Classes of data that were found: personal, financial, health.'),
  object: z.string().nullish().describe('The object or table.'),
  occurrences: z.number().int().nullish().describe('How often they were found.'),
});
