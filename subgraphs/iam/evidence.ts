import { z } from 'zod';
import { postureEvidence } from '../../kit/findings/posture-evidence.js';

/** `findingData` of an identity finding: who, and what is wrong with their access. Scanners add keys of their own. */
export const evidence = z.looseObject({
  ...postureEvidence,
  principal: z.string().nullish().describe('The user, role, group or service identity.'),
  principal_type: z.string().nullish().describe('Its kind: user, role, group, service.'),
  policy: z.string().nullish().describe('The policy that grants too much.'),
  actions: z.array(z.string()).nullish().describe('The actions that it grants.'),
});
