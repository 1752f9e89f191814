import { z } from 'zod';
import { postureEvidence } from '../../kit/findings/posture-evidence.js';

/** `findingData` of a container finding: the misconfigured image, workload or cluster. Scanners add keys of their own. */
export const evidence = z.looseObject({
  ...postureEvidence,
  file: z.string().nullish().describe('The manifest, chart or Dockerfile.'),
  start_line: z.number().int().nullish().describe('First line of the cause.'),
  end_line: z.number().int().nullish().describe('Last line of the cause.'),
});
