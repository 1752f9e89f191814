import { PalisadeError } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { JobFailure, type JobHandler, type JobRun } from '../../../kit/engine/job.js';
import { ownerNow } from '../../../kit/read/owner.js';
import { readModel } from '../../../kit/read/read-model.js';
import { noteReportFile, reportFile, reportFilePiece, type ReportFileTarget } from '../../../kit/read/report-files.js';
import { ChannelError } from '../channels/channel-error.js';
import { putFile } from '../channels/s3.js';
import { openCredentials } from './credentials.js';
import { integrations, type IntegrationRow } from './records.js';

const FAILED_HERE = 'it failed on our side';

/** Those of these integrations that are buckets. */
export async function bucketsOf(context: EngineContext, ids: readonly string[]): Promise<string[]> {
  const found = await context.collection(integrations).find({ _id: { $in: [...ids] }, kind: 's3' }, { fields: ['_id'] });
  return found.map(({ _id }) => _id);
}

/**
 * Puts a file of a report into a bucket, with the rights that the report's owner has now, and tells the report what came of it. A second try writes the
 * same file over the one that is there.
 */
export const putReportFileJob: JobHandler = {
  async run(job) {
    const { context } = job;
    const target = job.payload as ReportFileTarget;
    const key = await put(job, target).catch((error: unknown) => {
      job.alive();
      throw told(error);
    });
    await readModel(context, noteReportFile, { ...target, key, reason: null });
  },
  async giveUp({ context, payload }, reason) {
    await readModel(context, noteReportFile, { ...(payload as ReportFileTarget), key: null, reason });
  },
};

/** An error as the report may tell it: what a later try may change is tried again. */
function told(error: unknown): Error {
  if (error instanceof ChannelError) return error.retry ? error : new JobFailure(error.message);
  if (error instanceof JobFailure) return error;
  const isFinal = error instanceof PalisadeError && ['FORBIDDEN', 'GONE', 'NOT_FOUND'].includes(error.code);
  return isFinal ? new JobFailure(error.message) : new Error(FAILED_HERE, { cause: error });
}

async function put(job: JobRun, { report_id, export_id, integration_id }: ReportFileTarget): Promise<string> {
  const owner = await ownerNow(job.context, ['tenants:write', 'reports:read']);
  const integration = await owner.collection(integrations).findOne({ _id: integration_id });
  if (integration?.kind !== 's3') throw new JobFailure('the integration is gone');
  if (integration.state !== 'active') throw new JobFailure('the integration is paused');
  const bucket = integration as IntegrationRow<'s3'>;
  const file = await readModel(owner, reportFile, { id: export_id });
  if (!file) throw new JobFailure('the file is gone');
  const { file_name, media_type, size, sha256 } = file;
  const read = keepingError(piecesOf(job, owner, export_id, file.pieces));
  const body = { name: `report_${report_id}/${file_name}`, media_type, size, sha256, bytes: read.bytes() };
  const { outbound, masterKey } = owner.services;
  return putFile(outbound, bucket.settings, openCredentials(masterKey, bucket), body, owner.signal).catch((error: unknown) => {
    throw read.error ?? error;
  });
}

/** Bytes that are read while they are sent, with what kept them from being read: of that a sender tells no more than that it came to no end. */
function keepingError(pieces: AsyncIterable<Uint8Array>) {
  const read = {
    error: undefined as unknown,
    async *bytes(): AsyncGenerator<Uint8Array> {
      try {
        yield* pieces;
      } catch (error) {
        read.error = error;
        throw error;
      }
    },
  };
  return read;
}

async function* piecesOf(job: JobRun, owner: EngineContext, id: string, pieces: number): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < pieces; number++) {
    job.alive();
    const piece = await readModel(owner, reportFilePiece, { id, number });
    if (piece === null) throw new JobFailure('the file is gone');
    yield Buffer.from(piece, 'base64');
  }
}
