import { z } from 'zod';

/** `findingData` of a code finding: where in the code, and what the tool says. Scanners add keys of their own. */
export const evidence = z.looseObject({
  tool: z.string().nullish().describe('The scanner.'),
  file: z.string().nullish().describe('The file, relative to the repository.'),
  start_line: z.number().int().nullish().describe('First line.'),
  end_line: z.number().int().nullish().describe('Last line.'),
});
