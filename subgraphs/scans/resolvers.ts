import type { RunState } from '../../schema/model.js';
import type { EngineDefinition } from '../../kit/engine/engine.js';
import type { PageArguments } from '../../kit/store/paging.js';
import { cancelScanRun, retryScanRun } from './run-control.js';
import { startSbomImport } from './sbom-import.js';
import { findScanRun, importReport, listImportFormats, listScanRuns, type ImportArguments } from './service.js';

export const resolvers: EngineDefinition['resolvers'] = {
  Query: {
    import_formats: () => listImportFormats(),
    scan_runs: (_, args: PageArguments & { state?: RunState[]; format?: string[] }, context) => listScanRuns(context, args),
    scan_run: (_, args: { scan_run_id: string }, context) => findScanRun(context, args.scan_run_id),
  },
  Mutation: {
    import_report: (_, args: ImportArguments, context) => importReport(context, args),
    start_sbom_import: (_, args: ImportArguments, context) => startSbomImport(context, args),
    cancel_scan_run: (_, args: { scan_run_id: string }, context) => cancelScanRun(context, args.scan_run_id),
    retry_scan_run: (_, args: { scan_run_id: string }, context) => retryScanRun(context, args.scan_run_id),
  },
};
