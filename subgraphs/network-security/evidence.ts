import { z } from 'zod';
import { postureEvidence } from '../../kit/findings/posture-evidence.js';

/** `findingData` of a network finding: what is open, on which port, to whom. Scanners add keys of their own. */
export const evidence = z.looseObject({
  ...postureEvidence,
  protocol: z.string().nullish().describe('tcp, udp or all.'),
  port: z.number().int().nullish().describe('The port.'),
  port_range: z.string().nullish().describe('Several ports.'),
  source_ranges: z.array(z.string()).nullish().describe('The networks that may reach it.'),
  service_name: z.string().nullish().describe('What listens there.'),
});
