import { z } from 'zod';

/** `findingData` of a workload finding: what was found in which file or process. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  file: z.string().nullish().describe('The file.'),
  process: z.string().nullish().describe('The process.'),
  signature: z.string().nullish().describe('Name of the rule or signature that matched.'),
  malware_class: z.string().nullish().describe('Class of malware, where it is some.'),
  workload: z.string().nullish().describe('Host, pod or function.'),
});
