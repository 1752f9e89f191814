import { z } from 'zod';
import { postureEvidence } from '../../kit/findings/posture-evidence.js';

/** `findingData` of an encryption finding: the key, certificate or endpoint, and what is weak about it. Scanners add keys of their own. */
export const evidence = z.looseObject({
  ...postureEvidence,
  host: z.string().nullish().describe('The host of a TLS endpoint.'),
  port: z.number().int().nullish().describe('Its port.'),
  protocol: z.string().nullish().describe('Protocol version: TLSv1.0.'),
  cipher: z.string().nullish().describe('Cipher suite.'),
  not_after: z.string().nullish().describe('When the certificate ends.'),
});
