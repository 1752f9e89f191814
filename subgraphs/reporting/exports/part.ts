import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { jobs } from '../../../kit/work/jobs.js';
import { createExport, EXPORT_JOB } from './create.js';
import { expireExports } from './expire.js';
import type { ExportInput } from './input.js';
import { exportJob } from './job.js';
import { beginDownload, findExport, pieceOf } from './read.js';
import { exportPieces, exportsMade } from './records.js';
import { subjectInputs } from './schema.js';

const tag = 'exports';

/** Files of what the tenant holds. */
export const exportsPart: EnginePart = {
  prefixes: ['exports'],
  typeDefs: subjectInputs + readSchema(import.meta.url),
  resolvers: {
    Query: {
      export: (_, { id }: { id: string }, context) => findExport(context, id),
      export_file: (_, { id }: { id: string }, context) => beginDownload(context, id),
      export_piece: (_, { id, number }: { id: string; number: number }, context) => pieceOf(context, id, number),
    },
    Mutation: { create_export: (_, { input }: { input: ExportInput }, context) => createExport(context, input) },
  },
  routes: [
    { method: 'POST', path: '/exports', field: 'create_export', status: 202, tag },
    { method: 'GET', path: '/exports/{id}', field: 'export', tag },
    { method: 'GET', path: '/exports/{id}/download', field: 'export_file', file: { pieces: 'export_piece' }, tag },
  ],
  collections: [jobs, exportsMade, exportPieces],
  jobs: { [EXPORT_JOB]: exportJob },
  background: [expireExports],
};
