import type { IngestSinks } from '../../../kit/engine/context.js';
import { rowIdOf } from '../../../kit/store/row-id.js';
import { ciemLastAccess } from './records.js';

/** Keeps what a provider reports of the last use of an identity's services, in place of what an earlier report said. */
export const keepLastAccess: IngestSinks['lastAccess'] = async (context, { resource_uid, provider, reported_at, services }) => {
  const _id = rowIdOf(context.auth.tenant_id, resource_uid);
  const rows = context.collection(ciemLastAccess);
  await context.transaction(async (transaction) => {
    const before = await rows.findOne({ _id }, { fields: ['reported_at'], transaction });
    if (before !== null && before.reported_at >= reported_at) return;
    await rows.bulkUpdate([{ _id, update: { $set: { resource_uid, provider, reported_at, services } }, upsert: true }], { transaction });
  });
};
