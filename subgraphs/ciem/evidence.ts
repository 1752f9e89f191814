import { z } from 'zod';

/** `findingData` of an entitlement: what is granted and what of it is used. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  principal: z.string().nullish().describe('The identity.'),
  granted_actions: z.array(z.string()).nullish().describe('What it may do.'),
  used_actions: z.array(z.string()).nullish().describe('What it did within the window.'),
  window_days: z.number().int().nullish().describe('Days that were looked at.'),
});
