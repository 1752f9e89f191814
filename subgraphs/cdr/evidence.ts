import { z } from 'zod';

/** `findingData` of a detection: what was done, by whom, from where, and when. Scanners add keys of their own. */
export const evidence = z.looseObject({
  status_detail: z.string().nullish().describe('What was seen, in words.'),
  event_name: z.string().nullish().describe('The call that was made.'),
  event_source: z.string().nullish().describe('The service that was called.'),
  principal: z.string().nullish().describe('Who called.'),
  principals: z.array(z.string()).nullish().describe('Who called, of several from one address.'),
  source_ip: z.string().nullish().describe('Where from.'),
  first_observed_at: z.string().nullish().describe('When it began.'),
  last_observed_at: z.string().nullish().describe('When it was last observed.'),
  count: z.number().nullish().describe('How many events it was raised by.'),
  event_names: z.array(z.string()).nullish().describe('The calls that were made.'),
  source_ips: z.array(z.string()).nullish().describe('Where from, of several.'),
  user_agents: z.array(z.string()).nullish().describe('The programs that called.'),
  resources: z.array(z.string()).nullish().describe('The resources that were named.'),
  event_ids: z.array(z.string()).nullish().describe('Ids here of the last events, at most 50; /cdr/detections/{id}/events has all.'),
  steps: z
    .array(z.object({ step: z.string(), event_id: z.string(), at: z.string() }))
    .nullish()
    .describe('Of a sequence its steps in their order: what was seen, the id here of its event, and when.'),
  benign_causes: z.array(z.string()).nullish().describe('What it also may be.'),
  types: z.array(z.string()).nullish().describe('Types of the detection, as the product names them.'),
});
