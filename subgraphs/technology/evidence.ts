import { z } from 'zod';

/** `findingData` of a technology finding: the product, its version and where it runs. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  product: z.string().nullish().describe('The product.'),
  product_version: z.string().nullish().describe('Its version.'),
  host: z.string().nullish().describe('The host.'),
  port: z.number().int().nullish().describe('The port that it listens on.'),
  banner: z.string().nullish().describe('What it answers.'),
});
