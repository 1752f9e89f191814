import { SYSTEM_ACTOR } from '../../../kit/base/auth-context.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { getAuditLog } from '../../../kit/engine/create-context.js';
import { EPOCH } from './queue-record.js';
import { deliveries, webhookRowId, webhooks, type DeliveryRow, type DeliveryState } from './records.js';
import { LIFETIME, retryDelay } from './schedule.js';
import type { Outcome } from './send.js';

/** The deliveries of one webhook as its sender reads and writes them, and what they say of the webhook's health. */
export class DeliveryLedger {
  private health: Record<string, unknown> | null = null;
  private failuresSince = 0;

  constructor(
    private readonly services: EngineServices,
    private readonly tenantId: string,
    private readonly webhookId: string,
  ) {}

  /** Gives up what has waited for too long. */
  async expire(): Promise<void> {
    const late = { webhook_id: this.webhookId, next_at: { $gte: EPOCH }, requested_at: { $lte: new Date(this.now.getTime() - LIFETIME) } };
    await this.rows.updateMany(late, { $set: { state: 'dead', next_at: null } });
  }

  /** What is due, longest due first. */
  due(limit: number): Promise<DeliveryRow[]> {
    return this.rows.find({ webhook_id: this.webhookId, next_at: { $gte: EPOCH, $lte: this.now } }, { sort: { next_at: 1 }, limit });
  }

  /** When the next delivery is due; null when none waits. */
  async nextAt(): Promise<Date | null> {
    const waiting = { webhook_id: this.webhookId, next_at: { $gte: EPOCH } };
    return (await this.rows.findOne(waiting, { sort: { next_at: 1 }, fields: ['next_at'] }))?.next_at ?? null;
  }

  /** Notes what came of a try. A delivery that was asked for again in the meantime stays due. */
  async note({ _id, requested_at, ...delivery }: DeliveryRow, { attempt, sent, gone, wish }: Outcome): Promise<void> {
    const attempts = [...delivery.attempts, attempt];
    const tries = delivery.tries + 1;
    const next = new Date(this.now.getTime() + Math.max(retryDelay(tries), wish ?? 0));
    const isDead = gone || next.getTime() - requested_at.getTime() > LIFETIME;
    const state: DeliveryState = sent ? 'sent' : isDead ? 'dead' : 'failed';
    const end = { state, tries, next_at: state === 'failed' ? next : null, sent_at: sent ? attempt.at : delivery.sent_at };
    const { matched } = await this.rows.update({ _id, requested_at }, { $set: { ...end, attempts } });
    if (matched === 0) await this.rows.update({ _id }, { $set: { attempts } });
    if (sent) {
      this.health = { ...this.health, last_success_at: attempt.at, consecutive_failures: 0 };
      this.failuresSince = 0;
    } else {
      this.health = { ...this.health, last_failure_at: attempt.at, last_error: attempt.error };
      this.failuresSince++;
    }
  }

  /** Writes to the webhook what the tries since the last call say of its endpoint. */
  async noteHealth(): Promise<void> {
    if (!this.health) return;
    const { consecutive_failures, ...facts } = this.health;
    const count =
      consecutive_failures === 0
        ? { $set: { ...facts, consecutive_failures: this.failuresSince } }
        : { $set: facts, $inc: { consecutive_failures: this.failuresSince } };
    await this.webhooks.update({ _id: webhookRowId(this.tenantId, this.webhookId) }, count);
    [this.health, this.failuresSince] = [null, 0];
  }

  /** Pauses the webhook because its endpoint has said that it wants nothing any more. */
  async pauseGone(): Promise<void> {
    const { database, clock } = this.services;
    const reason = 'the endpoint answered 410 Gone';
    await database.transaction(async (transaction) => {
      const active = { _id: webhookRowId(this.tenantId, this.webhookId), state: 'active' };
      const pause = { $set: { state: 'paused', pause_reason: reason, updated_at: clock.now() } };
      const { matched } = await this.webhooks.update(active, pause, { transaction });
      if (matched === 0) return;
      await getAuditLog(this.services).append(transaction, this.tenantId, clock.now(), [
        {
          action: 'webhook.update',
          actor_email: SYSTEM_ACTOR,
          target: `webhook:${this.webhookId}`,
          result: 'success',
          detail: { changed: ['state'], state: 'paused', reason },
        },
      ]);
    });
  }

  private get now(): Date {
    return this.services.storeClock.now();
  }

  private get rows() {
    return this.services.database.tenant(this.tenantId).collection(deliveries);
  }

  private get webhooks() {
    return this.services.database.tenant(this.tenantId).collection(webhooks);
  }
}
