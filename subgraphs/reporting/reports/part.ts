import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { firings } from '../../../kit/work/schedule.js';
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
    Query: { reports: (_, args: PageArguments, context) => listReports(context, args) },
    Mutation: {
      set_report: (_, { report_id, input }: { report_id: string; input: ReportInput }, context) => setReport(context, report_id, input),
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
