import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import { inBatches } from '../../../kit/engine/retention.js';
import { PROVIDERS } from '../../../schema/model.js';
import { withUse } from './derive.js';
import { ciemEntitlements, type EntitlementRow } from './records.js';
import { UseOfProvider } from './use.js';

/**
 * Brings what is told of the use of rights in step with logs and reports, and with the time that has passed. A row whose rights have changed meanwhile
 * stays: who changed them has looked at its use, too.
 */
export const refreshUse: IngestSinks['deriveFromEvents'] = async (context, { at }) => {
  for (const provider of PROVIDERS) {
    const rows = context.collection(ciemEntitlements).scan({ provider });
    let use: UseOfProvider | undefined;
    for await (const batch of inBatches(rows)) {
      context.signal.throwIfAborted();
      use ??= await UseOfProvider.open(context, provider, at);
      await writeUse(context, batch as unknown as EntitlementRow[], use);
    }
  }
};

async function writeUse(context: EngineContext, batch: readonly EntitlementRow[], use: UseOfProvider): Promise<void> {
  const uses = await use.of(batch);
  const changed = new Map(
    batch.flatMap((row, n) => {
      const next = withUse(row, uses[n]!.use);
      return next.digest === row.digest ? [] : [[row._id, { before: row, use: { ...uses[n]!.use, digest: next.digest } }] as const];
    }),
  );
  if (changed.size === 0) return;
  const rows = context.collection(ciemEntitlements);
  await context.transaction(async (transaction) => {
    const present = await rows.find({ _id: { $in: [...changed.keys()] } }, { fields: ['granted_digest'], transaction });
    const same = present.filter(({ _id, granted_digest }) => changed.get(_id)!.before.granted_digest === granted_digest);
    await rows.bulkUpdate(
      same.map(({ _id }) => ({ _id, update: { $set: changed.get(_id)!.use } })),
      { transaction },
    );
  });
}
