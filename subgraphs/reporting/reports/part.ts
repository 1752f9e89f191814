import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { firings } from '../../../kit/work/schedule.js';
import { factsOfFile, pieceOf } from '../exports/read.js';
import { notePut, reportsTo, type PutOutcome } from './buckets.js';
import { REPORT_ENDED_JOB, reportEndedJob } from './outcome.js';
import { reports } from './records.js';
import { fireReports, REPORT_JOB, reportJob } from './run.js';
import { listReports, setReport, type ReportInput } from './service.js';

const tag = 'reports';

/** Exports by timetable. */
export const reportsPart: EnginePart = {
  prefixes: ['reports'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      reports: (_, args: PageArguments, context) => listReports(context, args),
      reports_to_bucket_model: (_, args: { integration_id: string }, context) => reportsTo(context, args.integration_id),
      report_file_model: (_, args: { export_id: string }, context) => factsOfFile(context, args.export_id),
      report_file_piece_model: (_, args: { export_id: string; number: number }, context) => pieceOf(context, args.export_id, args.number),
    },
    Mutation: {
      set_report: (_, { report_id, input }: { report_id: string; input: ReportInput }, context) => setReport(context, report_id, input),
      note_report_file: (_, args: PutOutcome, context) => notePut(context, args),
    },
  },
  routes: [
    { method: 'GET', path: '/reports', field: 'reports', tag },
    { method: 'PUT', path: '/reports/{report_id}', field: 'set_report', tag },
  ],
  collections: [reports, firings],
  jobs: { [REPORT_JOB]: reportJob, [REPORT_ENDED_JOB]: reportEndedJob },
  background: [fireReports],
};
