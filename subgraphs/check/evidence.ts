import { z } from 'zod';

/** `findingData` of a posture finding: what was looked at and what was found. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What the check says it saw.'),
  status: z.string().nullish().describe('The result in the words of the scanner.'),
});
