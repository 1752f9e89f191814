import type { EnginePart } from '../../../kit/engine/engine.js';
import type { FindingItem } from '../../../kit/findings/item.js';
import { listEveryFinding, type FindingListArguments } from './list.js';
import { findingRows, type FindingRowsArguments } from './rows.js';
import { typeDefs } from './schema.js';

/** The findings of all engines in one list. */
export const listPart: EnginePart = {
  prefixes: ['findings'],
  typeDefs,
  resolvers: {
    Query: {
      findings: (_, args: FindingListArguments, context) => listEveryFinding(context, args),
      finding_rows: (_, args: FindingRowsArguments, context) => findingRows(context, args),
    },
    Finding: {
      asset: ({ resource_uid }: FindingItem) => ({ resource_uid }),
      rule: ({ rule_id }: FindingItem) => ({ rule_id }),
    },
    Asset: { __resolveReference: (reference: { resource_uid: string }) => reference },
  },
  routes: [{ method: 'GET', path: '/findings', field: 'findings', tag: 'findings' }],
};
