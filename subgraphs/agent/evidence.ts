import { z } from 'zod';

/** `findingData` of a host finding: the benchmark, its section and what the host answered. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  host: z.string().nullish().describe('Name of the host.'),
  benchmark: z.string().nullish().describe('Benchmark or profile.'),
  section: z.string().nullish().describe('Its section.'),
  check_result: z.string().nullish().describe('The result in the words of the scanner.'),
  fix_text: z.string().nullish().describe('What the benchmark says of mending it.'),
});
