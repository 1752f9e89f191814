import { z } from 'zod';

/** `findingData` of an API finding: the operation, and what the scan sent and got. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  method: z.string().nullish().describe('Method of the request.'),
  path: z.string().nullish().describe('Path of the operation.'),
  parameter: z.string().nullish().describe('The parameter that was tried.'),
  pointer: z.string().nullish().describe('Place in the API description.'),
  cwe: z.string().nullish().describe('Weakness: CWE-79.'),
  confidence: z.string().nullish().describe('How sure the scanner is.'),
});
