import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { readRunEvents } from './read.js';
import { scanRunEvents } from './records.js';

/** What becomes of scan runs, live. */
export const runEventsPart: EnginePart = {
  prefixes: ['scan-runs'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      scan_run_events: (_, args: { scan_run_id: string; last_event_id?: number | null }, context) =>
        readRunEvents(context, args.scan_run_id, args.last_event_id ?? 0),
    },
  },
  routes: [
    {
      method: 'GET',
      path: '/scan-runs/{scan_run_id}/events',
      field: 'scan_run_events',
      headers: { 'last-event-id': 'last_event_id' },
      events: true,
      tag: 'scan-runs',
    },
  ],
  collections: [scanRunEvents],
};
