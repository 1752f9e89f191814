import { z } from 'zod';

/** `findingData` of an attack path: where it begins, where it ends and what lies between. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  entry: z.string().nullish().describe('Where it begins.'),
  target: z.string().nullish().describe('What it ends at.'),
  pattern: z.string().nullish().describe('The kinds of its steps, in order.'),
  hops: z.array(z.string()).nullish().describe('The kinds of steps on the way, or, as scanners tell them, the resources.'),
});
