import { z } from 'zod';
import { postureEvidence } from '../../kit/findings/posture-evidence.js';

/** `findingData` of a posture finding: what was looked at and what was found. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What the check says it saw.'),
  implied: postureEvidence.implied,
  implied_details: postureEvidence.implied_details,
  status: z.string().nullish().describe('The result in the words of the scanner.'),
});
