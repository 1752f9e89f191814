import { z } from 'zod';

/** `findingData` of a detection: what was done, by whom, from where, and when. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  event_name: z.string().nullish().describe('The call that was made.'),
  event_source: z.string().nullish().describe('The service that was called.'),
  principal: z.string().nullish().describe('Who called.'),
  source_ip: z.string().nullish().describe('Where from.'),
  first_observed_at: z.string().nullish().describe('When it began.'),
  last_observed_at: z.string().nullish().describe('When it was last observed.'),
  types: z.array(z.string()).nullish().describe('Types of the detection, as the product names them.'),
});
