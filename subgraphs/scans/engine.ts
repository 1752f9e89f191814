import { defineEngine } from '../../kit/engine/engine.js';
import { REEVALUATE } from '../../kit/engine/tenant-rules.js';
import { derivations } from '../../kit/engine/kept-rows.js';
import { jobFences } from '../../kit/work/job-fence.js';
import { jobs } from '../../kit/work/jobs.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { jobsPart } from './jobs/part.js';
import { tenantUsage } from '../../kit/store/tenant-usage.js';
import { importReportJob } from './import-job.js';
import { IMPORT_REPORT, scanRuns } from './records.js';
import { dailyDerivation } from './daily.js';
import { scansPart } from './definitions/part.js';
import { schedulesPart } from './schedules/part.js';
import { runDiffPart } from './diff/part.js';
import { runEventsPart } from './events/part.js';
import { pipelinePart } from './pipeline/part.js';
import { reevaluateJob } from './reevaluate/job.js';
import { resolvers } from './resolvers.js';
import { runRetention } from './retention.js';

export const engine = defineEngine({
  name: 'scans',
  label: 'Scans',
  description: 'Scans of connected accounts, their schedules, scan runs and imports.',
  prefixes: ['scans', 'scan-runs'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/scans/import-formats', field: 'import_formats', tag: 'scans' },
    { method: 'POST', path: '/scans/imports', field: 'import_report', upload: true, status: 202, tag: 'scans' },
    { method: 'GET', path: '/scan-runs', field: 'scan_runs', tag: 'scan-runs' },
    { method: 'GET', path: '/scan-runs/{scan_run_id}', field: 'scan_run', tag: 'scan-runs' },
    { method: 'POST', path: '/scan-runs/{scan_run_id}/cancel', field: 'cancel_scan_run', tag: 'scan-runs' },
    { method: 'POST', path: '/scan-runs/{scan_run_id}/retry', field: 'retry_scan_run', status: 202, tag: 'scan-runs' },
  ],
  parts: [scansPart, schedulesPart, jobsPart, runEventsPart, runDiffPart, pipelinePart],
  collections: [scanRuns, jobs, jobFences, tenantUsage, derivations],
  jobs: { [IMPORT_REPORT]: importReportJob, [REEVALUATE]: reevaluateJob },
  background: [runRetention, dailyDerivation],
});
