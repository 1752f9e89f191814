import type { EngineContext } from '../../kit/engine/context.js';
import { jobView } from '../../kit/work/followed-jobs.js';
import { startImport, type ImportArguments } from './service.js';

/** The formats that are bills of materials. */
const BILLS = ['cyclonedx', 'spdx'];

/**
 * Starts the import of a bill of materials, as that of any report, with a job that people follow.
 * @throws PalisadeError as `importReport`; VALIDATION_ERROR for a report of another format
 */
export async function startSbomImport(context: EngineContext, args: ImportArguments) {
  const only = { formats: BILLS, what: 'bill of materials (CycloneDX or SPDX)' };
  const { job } = await startImport(context, args, { only, readers: ['scans:read', 'secops:read'] });
  // the run's id is new, so that there is no run of before
  return jobView(job!);
}
