import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema, readSharedSchema } from '../../../kit/engine/read-schema.js';
import { filterArguments } from '../../../kit/findings/filters.js';
import { jobs } from '../../../kit/work/jobs.js';
import type { BulkInput } from './input.js';
import { BULK_TRIAGE, bulkTriageJob } from './job.js';
import { bulkTriage } from './triage.js';

const FILTER = `
"Which findings: the filters of finding lists. OR within one list, AND between them."
input FindingFilterInput {
    "Only these engines, by view segment."
    engine: [String!]${filterArguments(true)}
}
`;

/** Triage of many findings at once. */
export const bulkPart: EnginePart = {
  prefixes: ['findings'],
  typeDefs: readSharedSchema('job') + FILTER + readSchema(import.meta.url),
  resolvers: { Mutation: { bulk_triage: (_, args: { input: BulkInput }, context) => bulkTriage(context, args.input) } },
  routes: [{ method: 'POST', path: '/findings/bulk-triage', field: 'bulk_triage', tag: 'findings' }],
  collections: [jobs],
  jobs: { [BULK_TRIAGE]: bulkTriageJob },
};
