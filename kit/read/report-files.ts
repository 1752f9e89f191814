import { defineReadOperation, type ReadModel } from './read-model.js';

/** Name of the job by which the engine of integrations puts a file of a report into a bucket. */
export const PUT_REPORT_FILE_JOB = 'integrations.put_report_file';

/** Which file goes where; the payload of the job. */
export interface ReportFileTarget extends Record<string, unknown> {
  report_id: string;
  export_id: string;
  integration_id: string;
}

/** What a file is, before its bytes are read. */
export interface ReportFileFacts {
  file_name: string;
  media_type: string;
  size: number;
  sha256: string;
  pieces: number;
}

const buckets: ReadModel = { name: 'buckets', engine: 'events' };
const files: ReadModel = { name: 'report_files', engine: 'reporting' };

/** Those of these integrations that are buckets of the caller's tenant, paused ones included. At most 20 are asked for. */
export const bucketsAmong = defineReadOperation<{ ids: readonly string[] }, string[]>(
  buckets,
  'query($ids: [ID!]!) { result: buckets_model(integration_ids: $ids) }',
);

/** Ids of the caller's reports whose files go to an integration, at most 20. */
export const reportsToBucket = defineReadOperation<{ id: string }, string[]>(
  files,
  'query($id: ID!) { result: reports_to_bucket_model(integration_id: $id) }',
);

/** The file of an export, for who may read all that is in it. It throws as a download does; null for an absent export. */
export const reportFile = defineReadOperation<{ id: string }, ReportFileFacts | null>(
  files,
  'query($id: ID!) { result: report_file_model(export_id: $id) { file_name media_type size sha256 pieces } }',
);

/** One piece of it in base64; null where there is none. */
export const reportFilePiece = defineReadOperation<{ id: string; number: number }, string | null>(
  files,
  'query($id: ID!, $number: Int!) { result: report_file_piece_model(export_id: $id, number: $number) }',
);

/** Notes in the report that a file was put, with the name that it has in the bucket, or why it was not. */
export const noteReportFile = defineReadOperation<ReportFileTarget & { key: string | null; reason: string | null }, boolean>(
  files,
  `mutation($report_id: ID!, $export_id: ID!, $integration_id: ID!, $key: String, $reason: String) {
    result: note_report_file(report_id: $report_id, export_id: $export_id, integration_id: $integration_id, key: $key, reason: $reason)
  }`,
);
