import { z } from 'zod';

/** What the evaluation of a posture rule leaves in `findingData`, whichever engine the rule belongs to; scanners fill what they know. */
export const postureEvidence = {
  status_detail: z.string().nullish().describe('What the check saw.'),
  expression: z.string().nullish().describe('The rule as it was evaluated.'),
  attribute: z.string().nullish().describe('The attribute that decides.'),
  actual: z.unknown().optional().describe('Its value, redacted where the source marks it sensitive.'),
  expected: z.string().nullish().describe('What the rule asks of it.'),
  implied: z
    .array(z.string())
    .nullish()
    .describe(
      'Ids of the rules that fail on the same resource for the same cause: they have no finding of their own, this one stands for them.',
    ),
  implied_details: z.array(z.string()).nullish().describe('What was found of these, the worst first; at most 20.'),
};
