import { z } from 'zod';
import { postureEvidence } from '../../kit/findings/posture-evidence.js';

/** `findingData` of a database finding: which database, and how it is set up. Scanners add keys of their own. */
export const evidence = z.looseObject({
  ...postureEvidence,
  database: z.string().nullish().describe('The database or schema.'),
  engine_version: z.string().nullish().describe('Product and version.'),
  check_category: z.string().nullish().describe('What the check is about, as the scanner groups it.'),
});
