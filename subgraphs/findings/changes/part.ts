import type { EnginePart } from '../../../kit/engine/engine.js';
import { FEED_COLLECTIONS } from '../../../kit/findings/feed/records.js';
import { feedRetention } from '../../../kit/findings/feed/retention.js';
import { findingChanges, type FeedArguments } from './feed.js';
import { typeDefs } from './schema.js';

/** The feed of changes of findings. */
export const changesPart: EnginePart = {
  prefixes: ['findings'],
  typeDefs,
  resolvers: { Query: { finding_changes: (_, args: FeedArguments, context) => findingChanges(context, args) } },
  routes: [{ method: 'GET', path: '/findings/changes', field: 'finding_changes', tag: 'findings' }],
  collections: FEED_COLLECTIONS,
  retention: [feedRetention],
};
