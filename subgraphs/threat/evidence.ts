import { z } from 'zod';

/** `findingData` of a threat: the indicator and where it was met. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  indicator: z.string().nullish().describe('Address, domain, hash or name.'),
  indicator_type: z.string().nullish().describe('Its kind.'),
  actor: z.string().nullish().describe('The group that it is ascribed to.'),
  confidence: z.string().nullish().describe('How sure the source is.'),
});
