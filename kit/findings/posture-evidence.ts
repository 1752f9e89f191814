import { z } from 'zod';

/** What the evaluation of a posture rule leaves in `findingData`, whichever engine the rule belongs to; scanners fill what they know. */
export const postureEvidence = {
  status_detail: z.string().nullish().describe('What the check saw.'),
  expression: z.string().nullish().describe('The rule as it was evaluated.'),
  attribute: z.string().nullish().describe('The attribute that decides.'),
  actual: z.unknown().optional().describe('Its value, redacted where the source marks it sensitive.'),
  expected: z.string().nullish().describe('What the rule asks of it.'),
};
