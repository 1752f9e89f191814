import { randomBytes } from 'node:crypto';
import type { AuditAction } from '../../../kit/audit/entry.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { invalid, notFound } from '../../../kit/base/errors.js';
import { pageWindow, toPage, type Page, type PageArguments } from '../../../kit/store/paging.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { checkedInput, type WebhookInput } from './input.js';
import { addToQueue, webhookQueues, senderWakeup } from './queue-record.js';
import { deliveries, webhookRowId, webhooks, type WebhookRow } from './records.js';
import { createSecret, inForce, rotated } from './secrets.js';
import { FAILING } from './schedule.js';

/** Webhooks that a tenant may have: each multiplies what an event writes. */
export const MAX_WEBHOOKS = 20;

export interface WebhookFilterArguments extends PageArguments {
  state?: WebhookRow['state'][] | null;
}

/** A webhook as the graph gives it. */
export async function webhookView(context: EngineContext, row: WebhookRow, secret: string | null = null) {
  const rows = context.collection(deliveries);
  const of = (...states: string[]) => rows.count({ webhook_id: row.webhook_id, state: { $in: states } });
  const [pending, dead] = await Promise.all([of('pending', 'failed'), of('dead')]);
  const { consecutive_failures, last_success_at, last_failure_at, last_error } = row;
  const status = consecutive_failures >= FAILING ? 'failing' : last_success_at ? 'healthy' : 'unknown';
  const { secrets, ...shown } = row;
  return {
    ...shown,
    secret,
    previous_secret_until: inForce(secrets, context.services.clock.now())[1]?.until ?? null,
    health: { status, last_success_at, last_failure_at, last_error, consecutive_failures, pending, dead },
  };
}
export type WebhookView = Awaited<ReturnType<typeof webhookView>>;

export async function listWebhooks(context: EngineContext, args: WebhookFilterArguments): Promise<Page<WebhookView>> {
  const window = pageWindow(args);
  const condition = args.state ? { state: { $in: args.state } } : {};
  const rows = context.collection(webhooks);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { created_at: 1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(await Promise.all(items.map((row) => webhookView(context, row))), total, window);
}

/** Makes a webhook; its signing secret is in the answer and nowhere else. @throws VALIDATION_ERROR */
export async function createWebhook(context: EngineContext, input: WebhookInput): Promise<WebhookView> {
  const { url = '', events = [], filter = {}, description = null } = await checkedInput(context, input, true);
  const { tenant_id, email } = context.auth;
  const { clock, masterKey } = context.services;
  const webhook_id = `wh_${randomBytes(12).toString('hex')}`;
  const _id = webhookRowId(tenant_id, webhook_id);
  const { shown, stored } = createSecret(masterKey, _id);
  const now = clock.now();
  const row: WebhookRow = {
    _id,
    tenant_id,
    webhook_id,
    url,
    description,
    events: [...new Set(events)],
    filter,
    state: input.state ?? 'active',
    pause_reason: input.state === 'paused' ? BY_HAND : null,
    secrets: [stored],
    last_success_at: null,
    last_failure_at: null,
    last_error: null,
    consecutive_failures: 0,
    created_by: email,
    created_at: now,
    updated_at: now,
  };
  const rows = context.collection(webhooks);
  await context.transaction(async (transaction) => {
    if ((await rows.count({}, { transaction })) >= MAX_WEBHOOKS)
      throw invalid([{ path: 'url', message: `a tenant may have ${MAX_WEBHOOKS} webhooks` }]);
    await rows.insert(row, { transaction });
    await audit(context, transaction, 'webhook.create', row, { events: row.events });
  });
  return webhookView(context, row, shown);
}

const BY_HAND = 'by hand';

/** Changes, pauses or resumes a webhook, or gives it a new secret beside the old one. @throws NOT_FOUND, VALIDATION_ERROR */
export async function updateWebhook(context: EngineContext, id: string, input: WebhookInput): Promise<WebhookView> {
  const rows = context.collection(webhooks);
  const _id = webhookRowId(context.auth.tenant_id, id);
  // an absent one is 404 whatever the body says of it
  if (!(await rows.findOne({ _id }, { fields: ['_id'] }))) throw notFound('Webhook');
  const fields = await checkedInput(context, input, false);
  const { database, clock, storeClock, masterKey } = context.services;
  const next = input.rotate_secret ? createSecret(masterKey, _id) : null;
  const changed = [...Object.keys(fields), ...(input.state ? ['state'] : []), ...(next ? ['secret'] : [])];
  const row = await context.transaction(async (transaction) => {
    const before = await rows.findOne({ _id }, { transaction });
    if (!before) throw notFound('Webhook');
    if (changed.length === 0) return before;
    const now = clock.now();
    const state = input.state ?? before.state;
    const change = {
      ...fields,
      ...(fields.events && { events: [...new Set(fields.events)] }),
      ...(next && { secrets: rotated(before.secrets, next.stored, now) }),
      ...(state !== before.state && { state, pause_reason: state === 'paused' ? BY_HAND : null }),
      updated_at: now,
    };
    await rows.update({ _id }, { $set: change }, { transaction });
    // what waited while it was paused, or waits for the endpoint that has another address now, is tried at once
    if (state === 'active') await addToQueue(database.tenant(context.auth.tenant_id), transaction, id, storeClock.now(), true);
    await audit(context, transaction, 'webhook.update', { ...before, ...change }, { changed, state });
    return { ...before, ...change };
  });
  senderWakeup(database).wake();
  return webhookView(context, row, next?.shown ?? null);
}

/** Removes a webhook with its ledger; what is in flight still arrives. @throws NOT_FOUND */
export async function deleteWebhook(context: EngineContext, id: string): Promise<true> {
  const _id = webhookRowId(context.auth.tenant_id, id);
  const rows = context.collection(webhooks);
  await context.transaction(async (transaction) => {
    const row = await rows.findOne({ _id }, { transaction });
    if (!row) throw notFound('Webhook');
    await rows.remove({ _id }, { transaction });
    await context.collection(webhookQueues).remove({ _id }, { transaction });
    await audit(context, transaction, 'webhook.delete', row, {});
  });
  // outside of the transaction, because the ledger may be long; what a crash leaves behind ends with its retention
  await context.collection(deliveries).remove({ webhook_id: id });
  return true;
}

/** Addresses may hold secrets in their path or query, so that the audit log names the host alone. */
export function audit(
  context: EngineContext,
  transaction: TransactionOf,
  action: AuditAction,
  { webhook_id, url }: Pick<WebhookRow, 'webhook_id' | 'url'>,
  detail: Record<string, unknown>,
): Promise<void> {
  const { email, role, ip_address } = context.auth;
  const host = URL.parse(url)?.host ?? null;
  return context.audit(transaction, {
    action,
    actor_email: email,
    role,
    ip_address,
    target: `webhook:${webhook_id}`,
    result: 'success',
    detail: { host, ...detail },
  });
}
