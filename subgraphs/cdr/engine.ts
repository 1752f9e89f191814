import { defineFindingEngine } from '../../kit/findings/engine.js';
import { momentOf } from '../../kit/findings/moment.js';
import { again } from './again/part.js';
import { detections } from './detections/part.js';
import { detected } from './detections/raise.js';
import { evidence } from './evidence.js';
import { ingestEvents } from './events/ingest.js';
import { events } from './events/part.js';
import { heatmap } from './heatmap/part.js';

const SUBCATEGORIES = {
  detection: { code: 'detection', label: 'Detections' },
  anomaly: { code: 'anomaly', label: 'Unusual behaviour' },
} as const;

export const engine = defineFindingEngine({
  name: 'cdr',
  label: 'Detection and response',
  description: 'Detections over cloud logs.',
  prefixes: ['cdr'],
  parts: [events, detections, heatmap, again],
  ingest: { events: ingestEvents, detected },
  findings: {
    viewSegment: 'cdr',
    permission: 'threat:read',
    evidence,
    ruleType: 'cdr',
    module: { code: 'cdr', label: 'Detection and response' },
    happenedAt: ({ last_observed_at, first_observed_at }) => momentOf(last_observed_at) ?? momentOf(first_observed_at),
    subcategory: ({ evidence: { types } }) =>
      Array.isArray(types) && types.some((type) => /unusual behaviors/i.test(String(type)))
        ? SUBCATEGORIES.anomaly
        : SUBCATEGORIES.detection,
    extensions: ({ evidence: { event_name, principal, source_ip, first_observed_at, last_observed_at } }) => ({
      detection: {
        event_name: event_name ?? null,
        principal: principal ?? null,
        source_ip: source_ip ?? null,
        first_observed_at: first_observed_at ?? null,
        last_observed_at: last_observed_at ?? null,
      },
    }),
  },
});
