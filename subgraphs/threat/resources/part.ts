import type { EnginePart } from '../../../kit/engine/engine.js';
import { threatShown } from './records.js';

/** What reports show of resources that indicators may name. */
export const resources: EnginePart = {
  prefixes: ['threat'],
  typeDefs: '',
  resolvers: {},
  collections: [threatShown],
  retention: [
    {
      setting: 'event_retention_days',
      standard: 90,
      what: 'what indicators may name of resources',
      collection: threatShown,
      time: 'last_at',
    },
  ],
};
