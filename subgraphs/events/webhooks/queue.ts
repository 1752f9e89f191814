import type { EngineServices } from '../../../kit/engine/context.js';
import type { Outcome as WorkOutcome, Taken } from '../../../kit/work/due.js';
import type { Gate } from './gate.js';
import type { WebhookQueueRow } from './queue-record.js';
import { DeliveryLedger } from './ledger.js';
import { webhooks, type DeliveryRow, type WebhookRow } from './records.js';
import { FAILING, pauseAfter } from './schedule.js';
import { send, type Outcome } from './send.js';

/** Deliveries read at a time, and sent to one endpoint at the same time. */
const BATCH = 200;
const WINDOW = 8;
/** Milliseconds after which the webhook is read again: one that was paused, removed or given another address gets nothing more. */
const READ_EVERY = 1_000;

/** What the queues of one process share. */
export interface SendingProcess {
  readonly services: EngineServices;
  /** Limits what the process sends at a time. */
  readonly gate: Gate;
  /** Begin nothing more. */
  readonly stopping: AbortSignal;
}

/**
 * Empties the queue of one webhook. It begins with one message at a time, and each success lets twice as many be in flight, so an endpoint
 * that is dead holds one place and no more; after failures in a row it is left alone for a while, and then tried with one message again.
 */
export class WebhookQueue {
  private readonly ledger: DeliveryLedger;
  private window = 1;
  private failures: number;
  private pauses: number;
  private notBefore: Date | null = null;
  private gone = false;

  constructor(
    private readonly taken: Taken<WebhookQueueRow>,
    private readonly run: SendingProcess,
  ) {
    const { row } = taken;
    this.ledger = new DeliveryLedger(run.services, row.tenant_id, row.webhook_id);
    ({ failures: this.failures, pauses: this.pauses } = row);
  }

  /** Sends until nothing is due, the endpoint is to be left alone, or the process stops. */
  async empty(): Promise<WorkOutcome<WebhookQueueRow>> {
    const { due_at, not_before, added } = this.taken.row;
    const unchanged = { added };
    // the release before kept a pause beside the time at which a queue is due
    if (not_before > this.run.services.storeClock.now()) return { due_at: not_before, when: unchanged };
    await this.ledger.expire();
    while (this.isOpen()) {
      const webhook = await this.active();
      const due = webhook ? await this.ledger.due(BATCH) : [];
      if (webhook && due.length > 0) {
        await this.sendAll(webhook, due);
        continue;
      }
      const next = webhook && (await this.ledger.nextAt());
      return { due_at: next, set: next ? this.state : { failures: 0, pauses: 0 }, when: unchanged };
    }
    return { due_at: this.notBefore ?? due_at, set: this.state };
  }

  private get state() {
    return { failures: this.failures, pauses: this.pauses, ...(this.notBefore && { not_before: this.notBefore }) };
  }

  private isOpen(): boolean {
    return !this.run.stopping.aborted && !this.gone && this.notBefore === null && this.taken.isHeld();
  }

  /** The webhook, if it is to get anything. */
  private async active(): Promise<WebhookRow | null> {
    const { tenant_id, _id } = this.taken.row;
    const webhook = await this.run.services.database.tenant(tenant_id).collection(webhooks).findOne({ _id });
    return webhook?.state === 'active' ? webhook : null;
  }

  private async sendAll(begun: WebhookRow, due: DeliveryRow[]): Promise<void> {
    const flying = new Set<Promise<void>>();
    let webhook: WebhookRow | null = begun;
    let readAt = performance.now();
    for (;;) {
      while (webhook && due.length > 0 && flying.size < this.window && this.isOpen()) {
        const one: Promise<void> = this.sendOne(webhook, due.shift()!).finally(() => flying.delete(one));
        flying.add(one);
      }
      if (flying.size === 0) break;
      await Promise.race(flying);
      if (performance.now() - readAt < READ_EVERY) continue;
      webhook = await this.active();
      readAt = performance.now();
    }
    await this.ledger.noteHealth();
  }

  private async sendOne(webhook: WebhookRow, delivery: DeliveryRow): Promise<void> {
    const { gate, services } = this.run;
    const outcome = await gate.run(async () => (this.isOpen() ? send(services, webhook, delivery, this.taken.signal) : null));
    if (!outcome) return;
    this.learn(outcome);
    if (outcome.gone && !this.gone) {
      this.gone = true;
      await this.ledger.pauseGone();
    }
    await this.ledger.note(delivery, outcome);
  }

  /** What an outcome says of the endpoint. */
  private learn({ sent, wish }: Outcome): void {
    if (sent) {
      this.window = Math.min(this.window * 2, WINDOW);
      [this.failures, this.pauses] = [0, 0];
      return;
    }
    this.window = 1;
    this.failures++;
    if (this.notBefore !== null || (wish === null && this.failures < FAILING)) return;
    const pause = Math.max(wish ?? 0, this.failures < FAILING ? 0 : pauseAfter(this.pauses++));
    this.notBefore = new Date(this.run.services.storeClock.now().getTime() + pause);
  }
}
