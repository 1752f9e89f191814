import { z } from 'zod';
import { postureEvidence } from '../../kit/findings/posture-evidence.js';

/** `findingData` of a finding on a model: the probe, what the detector scored, and how often. Scanners add keys of their own. */
export const evidence = z.looseObject({
  ...postureEvidence,
  model: z.string().nullish().describe('The model or target.'),
  probe: z.string().nullish().describe('The probe or test.'),
  detector: z.string().nullish().describe('What judged the answer.'),
  score: z.number().nullish().describe('Its score.'),
  attempts: z.number().int().nullish().describe('Tries.'),
  hits: z.number().int().nullish().describe('Tries that went wrong.'),
});
