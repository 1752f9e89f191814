import type { JobState } from '../work/followed-jobs.js';
import { defineReadOperation, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'sbom_import', engine: 'scans' };

/** A job as the graph gives it (schema/job.graphql). */
export interface StartedJob {
  job_id: string;
  kind: string;
  state: JobState;
  done: number;
  total: number | null;
  result: unknown;
  result_url: string | null;
  error: string | null;
  created_by: string;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
}

/** Imports a staged bill of materials for the caller, who must hold what the outer field asks for. */
export const startSbomImport = defineReadOperation<
  { upload_id: string; artifact?: string | null; provider?: string | null; observed_at?: string | null },
  StartedJob
>(
  model,
  `mutation StartSbomImport($upload_id: ID!, $artifact: String, $provider: Provider, $observed_at: DateTime) {
    result: start_sbom_import(upload_id: $upload_id, artifact: $artifact, provider: $provider, observed_at: $observed_at) {
      job_id kind state done total result result_url error created_by created_at started_at completed_at
    }
  }`,
);
