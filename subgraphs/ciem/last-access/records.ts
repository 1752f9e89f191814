import type { LastAccess } from '../../../catalog/entitlements/evidence.js';
import type { Use } from '../../../catalog/entitlements/used.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { RetentionRule } from '../../../kit/engine/retention-rule.js';
import { defineCollection } from '../../../kit/store/collection.js';
import { date, list, object, text, textOf } from '../../../kit/store/fields.js';
import type { Provider } from '../../../schema/model.js';
import type { LastAccessInput } from '../../../schema/observations.js';
import { rowIdOf } from '../../../kit/store/row-id.js';

/** What a report of the provider says of the last use of an identity's services; `_id` is `<tenant_id>|<digest of resource_uid>`. */
export const ciemLastAccess = defineCollection(
  'ciem_last_access',
  { resource_uid: text, provider: textOf<Provider>(), reported_at: date, services: list(object<LastAccessInput['services'][number]>()) },
  [{ key: { tenant_id: 1, reported_at: 1 } }],
);

export const lastAccessRetention: RetentionRule = {
  what: 'reports of last access',
  setting: 'discovery_retention_days',
  standard: 400,
  collection: ciemLastAccess,
  time: 'reported_at',
};

/** What reports say of some identities, by their uid. */
export async function lastAccessOf(
  context: EngineContext,
  uids: readonly string[],
): Promise<ReadonlyMap<string, LastAccess & { uses: readonly Use[] }>> {
  const ids = uids.map((uid) => rowIdOf(context.auth.tenant_id, uid));
  const rows = await context.collection(ciemLastAccess).find({ _id: { $in: ids } });
  return new Map(
    rows.map(({ resource_uid, reported_at, services }) => [
      resource_uid,
      {
        reported_at,
        services: new Map(services.map(({ service, last_used_at }) => [service, last_used_at])),
        uses: services.flatMap(({ service, rights }) =>
          rights.map(({ right, last_used_at }) => ({ service, action: right, is_right: true, used_at: last_used_at, resources: null })),
        ),
      },
    ]),
  );
}
