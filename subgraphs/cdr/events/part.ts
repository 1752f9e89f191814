import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { Provider } from '../../../schema/model.js';
import { eventUid, findEvent, listCoverage, listEvents, recordOf, type CoverageFilter, type EventFilter } from './list.js';
import { cloudEventCoverage, cloudEventRecords, cloudEvents, cloudEventUsage, type CloudEventRow } from './records.js';
import { coverageRetention, eventRetention, usageRetention } from './retention.js';
import { coverageOfProvider, usageBatch, type UsageBatchArguments } from './usage-model.js';

/** The events of audit logs: what was done, by whom, and for which times that is known. */
export const events: EnginePart = {
  prefixes: ['cdr'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      cdr_events: (_, args: EventFilter, context) => listEvents(context, args),
      cdr_event: (_, args: { event_uid: string }, context) => findEvent(context, args.event_uid),
      cdr_log_coverage: (_, args: CoverageFilter, context) => listCoverage(context, args),
      cdr_usage_model: (_, args: UsageBatchArguments, context) => usageBatch(context, args),
      cdr_log_coverage_model: (_, args: { provider: Provider }, context) => coverageOfProvider(context, args.provider),
    },
    CloudEvent: {
      event_uid: (event: CloudEventRow) => eventUid(event),
      chain: ({ chain }: CloudEventRow) => chain ?? [],
      resources: ({ resources }: CloudEventRow) => resources ?? [],
      record: (event: CloudEventRow, _args: object, context) => recordOf(event, context),
    },
  },
  routes: [
    { method: 'GET', path: '/cdr/events', field: 'cdr_events', tag: 'cdr' },
    { method: 'GET', path: '/cdr/events/{event_uid}', field: 'cdr_event', tag: 'cdr' },
    { method: 'GET', path: '/cdr/log-coverage', field: 'cdr_log_coverage', tag: 'cdr' },
  ],
  collections: [cloudEvents, cloudEventRecords, cloudEventUsage, cloudEventCoverage],
  retention: [eventRetention, usageRetention, coverageRetention],
};
