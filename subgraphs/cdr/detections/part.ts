import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { eventsOf } from './events.js';
import { cdrDetectionEvents, cdrDetections } from './records.js';
import { detectionEventRetention, detectionRetention } from './retention.js';

/** What rules see in the events of audit logs. */
export const detections: EnginePart = {
  prefixes: ['cdr'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { cdr_detection_events: (_, args: PageArguments & { id: string }, context) => eventsOf(context, args) },
  },
  routes: [{ method: 'GET', path: '/cdr/detections/{id}/events', field: 'cdr_detection_events', tag: 'cdr' }],
  collections: [cdrDetections, cdrDetectionEvents],
  retention: [detectionRetention, detectionEventRetention],
};
