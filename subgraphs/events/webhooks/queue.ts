import type { EngineServices } from '../../../kit/engine/context.js';
import { LEASE_MS } from '../../../kit/work/lease.js';
import type { Filter, Update } from '../../../kit/store/query.js';
import type { Gate } from './gate.js';
import { EPOCH, webhookQueues, type WebhookQueueRow } from './queue-record.js';
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
  /** End what is in flight. */
  readonly aborting: AbortSignal;
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
  private added: number;
  private leasedUntil: Date;
  private notBefore: Date | null = null;
  private gone = false;

  constructor(
    private readonly row: WebhookQueueRow,
    private readonly run: SendingProcess,
  ) {
    this.ledger = new DeliveryLedger(run.services, row.tenant_id, row.webhook_id);
    ({ failures: this.failures, pauses: this.pauses, added: this.added, leased_until: this.leasedUntil } = row);
  }

  /** Sends until nothing is due, the endpoint is to be left alone, or the process stops; then gives the queue back. */
  async empty(): Promise<void> {
    const heartbeat = setInterval(() => void this.extend(), LEASE_MS / 3);
    try {
      await this.ledger.expire();
      while (this.isOpen()) {
        const webhook = await this.active();
        if (webhook === null) {
          if (await this.leave(null)) return;
          continue;
        }
        const due = await this.ledger.due(BATCH);
        if (due.length > 0) await this.sendAll(webhook, due);
        else if (await this.leave(await this.ledger.nextAt())) return;
      }
      await this.change({}, { leased_until: EPOCH, leased_by: null, ...this.state });
    } finally {
      clearInterval(heartbeat);
    }
  }

  private get tenant() {
    return this.run.services.database.tenant(this.row.tenant_id);
  }

  private get state() {
    return { failures: this.failures, pauses: this.pauses, ...(this.notBefore && { not_before: this.notBefore }) };
  }

  private isOpen(): boolean {
    const { stopping, services } = this.run;
    return !stopping.aborted && !this.gone && this.notBefore === null && services.clock.now() < this.leasedUntil;
  }

  /** The webhook, if it is to get anything. */
  private async active(): Promise<WebhookRow | null> {
    const webhook = await this.tenant.collection(webhooks).findOne({ _id: this.row._id });
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
    const { gate, services, aborting } = this.run;
    const outcome = await gate.run(async () => (this.isOpen() ? send(services, webhook, delivery, aborting) : null));
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
    this.notBefore = new Date(this.run.services.clock.now().getTime() + pause);
  }

  /** Gives up a queue in which nothing is due before `next`, or nothing at all. @returns false when something was added in the meantime */
  private async leave(next: Date | null): Promise<boolean> {
    const unchanged = { added: this.added };
    const left =
      next === null
        ? (await this.rows.remove({ ...this.own, ...unchanged })) > 0
        : await this.change(unchanged, { due_at: next, leased_until: EPOCH, leased_by: null, ...this.state });
    if (left) return true;
    const row = await this.rows.findOne(this.own);
    if (!row) return true;
    this.added = row.added;
    return false;
  }

  private async extend(): Promise<void> {
    const until = new Date(this.run.services.clock.now().getTime() + LEASE_MS);
    // what fails here is tried again before the lease ends, and ends it else
    if (await this.change({}, { leased_until: until }).catch(() => false)) this.leasedUntil = until;
  }

  private get rows() {
    return this.tenant.collection(webhookQueues);
  }

  private get own(): Filter {
    return { _id: this.row._id, leased_by: this.row.leased_by };
  }

  private async change(condition: Filter, fields: Update): Promise<boolean> {
    return (await this.rows.update({ ...this.own, ...condition }, { $set: fields })).matched > 0;
  }
}
