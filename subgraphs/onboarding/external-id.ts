import { randomBytes } from 'node:crypto';
import { defineCollection } from '../../kit/store/collection.js';
import { date, text } from '../../kit/store/fields.js';
import type { EngineContext } from '../../kit/engine/context.js';

/**
 * The external id of a tenant, to which the trust of its roles is bound; `_id` is the tenant's. It is made here and never chosen by a client: who could
 * choose it could name that of another tenant (decision 61).
 */
export const externalIds = defineCollection('external_ids', { external_id: text, created_at: date }, []);

/** The tenant's external id, made at the first call. */
export async function externalIdOf(context: EngineContext): Promise<string> {
  const { auth, services } = context;
  const made = { external_id: `palisade-${randomBytes(32).toString('hex')}`, created_at: services.clock.now() };
  const rows = context.collection(externalIds);
  await rows.update({ _id: auth.tenant_id }, { $setOnInsert: made }, { upsert: true }).catch((error: { code?: number }) => {
    // another call came first
    if (error.code !== 11_000) throw error;
  });
  return (await rows.findOne({ _id: auth.tenant_id }))!.external_id;
}
