import type { Client } from './world.js';

/** A webhook as the API shows it. */
export interface Hook {
  webhook_id: string;
  url: string;
  events: string[];
  filter: Record<string, string[] | null>;
  state: string;
  pause_reason: string | null;
  secret?: string | null;
  previous_secret_until: string | null;
  health: {
    status: string;
    pending: number;
    dead: number;
    consecutive_failures: number;
    last_error: string | null;
    last_success_at: string | null;
    last_failure_at: string | null;
  };
}

/** A delivery as the API shows it. */
export interface Delivery {
  delivery_id: string;
  event: string;
  seq: number;
  state: string;
  payload: { type: string; timestamp: string; tenant_id: string; data: Record<string, unknown> };
  attempts: { status: number | null; error: string | null; response: string | null; latency_ms: number; at: string }[];
  next_attempt_at: string | null;
  sent_at: string | null;
}

export async function createHook(admin: Client, url: string, more: Record<string, unknown> = {}): Promise<Hook & { secret: string }> {
  const { status, body, text } = await admin.call<Hook & { secret: string }>('/api/v1/webhooks', { body: { url, events: ['*'], ...more } });
  if (status !== 201) throw new Error(text);
  return body;
}

export const change = (admin: Client, { webhook_id }: { webhook_id: string }, body: Record<string, unknown>) =>
  admin.call<Hook>(`/api/v1/webhooks/${webhook_id}`, { method: 'PATCH', body });

/** The ledger of a webhook, newest first. */
export async function ledger(admin: Client, { webhook_id }: { webhook_id: string }, query = ''): Promise<Delivery[]> {
  const all: Delivery[] = [];
  for (let page = 1; ; page++) {
    const path = `/api/v1/webhooks/${webhook_id}/deliveries?page_size=200&page=${page}${query}`;
    const { body, status, text } = await admin.call<{ items: Delivery[]; has_more: boolean }>(path);
    if (status !== 200) throw new Error(text);
    all.push(...body.items);
    if (!body.has_more) return all;
  }
}

export async function findHook(admin: Client, { webhook_id }: { webhook_id: string }): Promise<Hook> {
  const { body } = await admin.call<{ items: Hook[] }>('/api/v1/webhooks?page_size=200');
  return body.items.find((hook) => hook.webhook_id === webhook_id)!;
}

export const redeliver = (admin: Client, { webhook_id }: { webhook_id: string }, { delivery_id }: { delivery_id: string }) =>
  admin.call<Delivery>(`/api/v1/webhooks/${webhook_id}/deliveries/${delivery_id}/redeliver`, { method: 'POST' });

/** Renames the tenant: an event of the kind tenant.update. */
export async function rename(admin: Client, name: string): Promise<void> {
  const { body: me } = await admin.call<{ tenant_id: string }>('/api/v1/users/me');
  const { status, text } = await admin.call(`/api/v1/tenants/${me.tenant_id}`, { method: 'PATCH', body: { name } });
  if (status !== 200) throw new Error(text);
}
