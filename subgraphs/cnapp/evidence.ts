import { z } from 'zod';

/** `findingData` of a combination: what came together, and why that is worse. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  combination: z.string().nullish().describe('Name of the combination.'),
  parts: z.array(z.string()).nullish().describe('What came together, in words.'),
  issue_id: z.string().nullish().describe('Id of the issue at the scanner.'),
});
