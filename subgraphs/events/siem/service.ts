import { randomBytes } from 'node:crypto';
import { auditHeads, auditLog } from '../../../kit/audit/audit.js';
import { firstSeq } from '../../../kit/audit/entries.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { invalid } from '../../../kit/base/errors.js';
import { LEASE_REVOKED } from '../../../kit/work/due.js';
import { storageEndpoint } from '../../../kit/outbound/bucket-fields.js';
import { ForbiddenTarget } from '../../../kit/outbound/outbound.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { readExportInput, type SiemExportInput } from './input.js';
import { sealSecret, siemExports, type ObjectStorageTarget, type SiemExportRow, type WebhookTarget } from './records.js';

/** The tenant's export as its administrators see it: no secret. */
export async function getSiemExport(context: EngineContext) {
  const row = await context.collection(siemExports).findOne({});
  const head = await context.collection(auditHeads).findOne({}, { fields: ['seq'] });
  return shown(row, head?.seq ?? 0, null);
}

function shown(row: SiemExportRow | null, head: number, signing_secret: string | null) {
  const storage = row?.object_storage;
  return {
    kind: row?.kind ?? null,
    enabled: row?.enabled ?? false,
    format: row?.format ?? 'ndjson',
    webhook: row?.webhook ? { url: row.webhook.url } : null,
    object_storage: storage
      ? {
          endpoint: storage.endpoint,
          region: storage.region,
          bucket: storage.bucket,
          prefix: storage.prefix,
          access_key_id_ends_with: storage.access_key_id.slice(-4),
          path_style: storage.path_style,
        }
      : null,
    signing_secret,
    position: row?.position ?? 0,
    pending: row ? Math.max(0, head - row.position) : 0,
    last_success_at: row?.last_success_at ?? null,
    last_error: row?.last_error ?? null,
    last_error_at: row?.last_error_at ?? null,
    next_try_at: row?.last_error ? row.due_at : null,
    updated_at: row?.updated_at ?? null,
    updated_by: row?.updated_by ?? null,
  };
}

/**
 * Sets the tenant's export. What a worker sends at this moment may still arrive, but moves the position no more.
 * @throws PalisadeError VALIDATION_ERROR when the input breaks its rules or the target lies where nothing may be sent
 */
export async function setSiemExport(context: EngineContext, given: unknown) {
  const input = readExportInput(given);
  await assertReachable(context, input);
  const { auth, services } = context;
  const now = services.clock.now();
  return context.transaction(async (transaction) => {
    const rows = context.collection(siemExports);
    const known = await rows.findOne({}, { transaction });
    const { target: webhook, made } = webhookTarget(context, input, known);
    const start = await startOf(context, input, known, transaction);
    const change = {
      kind: input.kind,
      enabled: input.enabled ?? true,
      format: input.format ?? 'ndjson',
      webhook,
      object_storage: storageTarget(context, input, known),
      ...start,
      failures: 0,
      last_error: null,
      last_error_at: null,
      // an export that is switched off is never due
      due_at: (input.enabled ?? true) ? services.storeClock.now() : null,
      ...LEASE_REVOKED.$set,
      updated_at: now,
      updated_by: auth.email,
    };
    const row = (await rows.findAndUpdate(
      { _id: auth.tenant_id },
      { ...LEASE_REVOKED, $set: change, $setOnInsert: { last_success_at: null } },
      { upsert: true, returnNew: true, transaction },
    ))!;
    const target = input.webhook ? hostOf(input.webhook.url) : `${input.object_storage!.bucket}/${input.object_storage!.prefix ?? ''}`;
    await context.audit(transaction, {
      action: 'siem.update',
      actor_email: auth.email,
      target: `siem_export:${auth.tenant_id}`,
      result: 'success',
      detail: { kind: row.kind, enabled: row.enabled, format: row.format, target, replay_from: input.replay_from?.toISOString() ?? null },
    });
    const head = await context.collection(auditHeads).findOne({}, { fields: ['seq'], transaction });
    return shown(row, head?.seq ?? 0, made);
  });
}

/** An address without its path and query, which may hold a token. */
const hostOf = (url: string): string => new URL(url).host;

async function assertReachable({ services }: EngineContext, { webhook, object_storage }: SiemExportInput): Promise<void> {
  const [path, url] = webhook ? ['webhook.url', webhook.url] : ['object_storage.endpoint', storageEndpoint(object_storage!)];
  try {
    await services.outbound.assertReachable(url!);
  } catch (error) {
    if (!(error instanceof ForbiddenTarget)) throw error;
    throw invalid([{ path: path!, message: error.message }]);
  }
}

/** The webhook with its secret: the given one, the stored one, or a new one, which is told once. */
function webhookTarget(
  { services, auth }: EngineContext,
  { webhook }: SiemExportInput,
  known: SiemExportRow | null,
): { target: WebhookTarget | null; made: string | null } {
  if (!webhook) return { target: null, made: null };
  const { url } = webhook;
  if (!webhook.secret && known?.webhook) return { target: { url, secret: known.webhook.secret }, made: null };
  const made = webhook.secret ? null : `whsec_${randomBytes(32).toString('base64')}`;
  return { target: { url, secret: sealSecret(services.masterKey, auth.tenant_id, webhook.secret ?? made!) }, made };
}

function storageTarget(
  { services, auth }: EngineContext,
  { object_storage: given }: SiemExportInput,
  known: SiemExportRow | null,
): ObjectStorageTarget | null {
  if (!given) return null;
  const stored = known?.object_storage?.access_key_id === given.access_key_id ? known.object_storage.secret_access_key : null;
  const secret_access_key = given.secret_access_key ? sealSecret(services.masterKey, auth.tenant_id, given.secret_access_key) : stored;
  if (secret_access_key === null) throw invalid([{ path: 'object_storage.secret_access_key', message: 'is required' }]);
  return {
    endpoint: given.endpoint ?? null,
    region: given.region,
    bucket: given.bucket,
    prefix: given.prefix ?? '',
    access_key_id: given.access_key_id,
    secret_access_key,
    path_style: given.path_style ?? false,
  };
}

/** Where the export begins: behind the entries before the moment of the replay, where it was, or now. */
async function startOf(
  context: EngineContext,
  { kind, replay_from }: SiemExportInput,
  known: SiemExportRow | null,
  transaction: TransactionOf,
): Promise<Pick<SiemExportRow, 'position' | 'batch_end' | 'last_day'>> {
  if (!replay_from && known?.kind === kind) return { position: known.position, batch_end: null, last_day: known.last_day };
  const from = new Date(replay_from ?? context.services.clock.now());
  // a day's file is written whole: it must not be replaced by its second half
  if (kind === 'object_storage') from.setUTCHours(0, 0, 0, 0);
  const entries = context.collection(auditLog);
  const first = await entries.findOne({ timestamp: { $gte: from } }, { sort: { seq: 1 }, fields: ['seq', 'first_seq'], transaction });
  const head = await context.collection(auditHeads).findOne({}, { fields: ['seq'], transaction });
  return { position: first ? firstSeq(first) - 1 : (head?.seq ?? 0), batch_end: null, last_day: null };
}
