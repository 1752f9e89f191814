import { SYSTEM_ACTOR } from '../../../kit/base/auth-context.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { getAuditLog } from '../../../kit/engine/create-context.js';
import type { Provider } from '../../../schema/model.js';
import { sealCredential } from './credential.js';
import { cloudAccountRowId, cloudAccounts } from './records.js';

/** An account of which there is a recording in place of a connection. */
interface RecordedAccount {
  readonly tenant_id: string;
  readonly account_id: string;
  readonly provider: Provider;
  readonly name: string;
  /** A file of demo/recordings, without its end. */
  readonly recording: string;
}

/** Connects an account of the demo to what was recorded of it, once: what people have made of it stays. */
export async function connectRecorded(services: EngineServices, account: RecordedAccount): Promise<void> {
  const { database, clock, masterKey } = services;
  const { tenant_id, account_id, provider, name, recording } = account;
  const rows = database.tenant(tenant_id).collection(cloudAccounts);
  const _id = cloudAccountRowId(tenant_id, account_id);
  const at = clock.now();
  await database.transaction(async (transaction) => {
    if (await rows.findOne({ _id }, { fields: ['_id'], transaction })) return;
    await rows.insert(
      {
        ...{ _id, tenant_id, account_id, provider, name, state: 'connected', scope: { regions: [], services: [] }, tags: {} },
        ...{ sealed_credential: sealCredential(masterKey, _id, { method: 'recorded', values: { recording } }), external_id: null },
        ...{ permissions_granted: [], permissions_missing: [], validated_at: at, problem: null, last_scan_at: null },
        ...{ created_by: SYSTEM_ACTOR, created_at: at, updated_at: at, version: 1 },
      },
      { transaction },
    );
    await getAuditLog(services).append(transaction, tenant_id, at, [
      { action: 'cloud_account.connect', actor_email: SYSTEM_ACTOR, target: `cloud_account:${account_id}`, result: 'success' },
    ]);
  });
}
