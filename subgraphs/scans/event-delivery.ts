import type { EngineContext } from '../../kit/engine/context.js';
import type { EventPack, LogSpan, PackedEvent } from '../../kit/engine/event-pack.js';
import type { Provider } from '../../schema/model.js';
import type { LastAccessInput } from '../../schema/observations.js';
import { ingestRunOf } from './coverage.js';
import type { ScanRunRow } from './records.js';
import type { DeliveredItem } from './report-items.js';

/** Events that are written in one transaction at least: what they do to counts of the same call is written once. */
const AT_ONCE = 2_000;
/** Classes of log of which a run knows what it covers; more are made up. */
const MOST_SPANS = 1_000;
/** Clocks that differ by less differ no more than clocks do. */
const AHEAD = 60 * 60_000;

/** Where events go, and what is said of those that do not. */
interface EventTarget {
  refuse(position: string, reason: string): void;
  /** @param batch gives how many events were left out */
  write(batch: () => Promise<number>): Promise<void>;
}

/** Takes the events of one report, or what it says of the use of identities: refuses what cannot be of it, and knows what it covers. */
export class EventDelivery {
  readonly providers = new Set<Provider>();
  private readonly spans = new Map<string, LogSpan>();
  private waiting: EventPack[] = [];
  private hasLastAccess = false;

  constructor(
    private readonly context: EngineContext,
    private readonly run: ScanRunRow,
    private readonly to: EventTarget,
  ) {}

  /** Whether there were any, or reports of last access. */
  get tellsUse(): boolean {
    return this.spans.size > 0 || this.hasLastAccess;
  }

  take(item: Extract<DeliveredItem, { kind: 'events' | 'last_access' }>): Promise<void> {
    return item.kind === 'events' ? this.takePack(item.pack) : this.takeLastAccess(item.last_access);
  }

  /** Takes a pack in; it is written as soon as there are enough. */
  private async takePack(pack: EventPack): Promise<void> {
    const events: PackedEvent[] = [];
    for (const event of pack.events) {
      const reason = this.refusalOf(event);
      if (reason !== null) this.to.refuse(event.position, reason);
      else {
        events.push(event);
        this.extend(event);
      }
    }
    if (events.length > 0) this.waiting.push({ ...pack, events });
    if (this.waiting.reduce((sum, one) => sum + one.events.length, 0) >= AT_ONCE) await this.flush();
  }

  /** Writes what was taken and is not written yet. */
  async flush(): Promise<void> {
    if (this.waiting.length === 0) return;
    const batch = { packs: this.waiting, spans: [...this.spans.values()] };
    this.waiting = [];
    await this.to.write(() => this.context.services.ingest.events(this.context, ingestRunOf(this.run), batch));
  }

  /** Takes in what a report says of when an identity last used what. */
  private async takeLastAccess(lastAccess: LastAccessInput): Promise<void> {
    const { position, provider, reported_at } = lastAccess;
    if (this.isToCome(reported_at))
      return this.to.refuse(position, `the report is of ${reported_at.toISOString()}, which is still to come`);
    this.hasLastAccess = true;
    this.providers.add(provider);
    await this.to.write(() => this.context.services.ingest.lastAccess(this.context, lastAccess).then(() => 0));
  }

  private isToCome = (time: Date): boolean => time.getTime() > this.run.created_at.getTime() + AHEAD;

  private refusalOf({ time, account_id }: PackedEvent): string | null {
    const named = this.run.scope.account_id;
    if (named !== undefined && account_id !== undefined && account_id !== named)
      return `the event is of the account ${account_id}, and the import names ${named}`;
    if (this.isToCome(time)) return `the event is of ${time.toISOString()}, which is still to come`;
    return null;
  }

  private extend({ provider, log, region, time, ...event }: PackedEvent): void {
    const account_id = event.account_id ?? null;
    const key = `${provider}\n${account_id}\n${log}`;
    const span = this.spans.get(key);
    this.providers.add(provider);
    if (span === undefined) {
      if (this.spans.size >= MOST_SPANS) return;
      this.spans.set(key, { provider, account_id, log, regions: [region], from: time, to: time });
      return;
    }
    const isWithin = span.from <= time && time <= span.to;
    if (isWithin && span.regions.includes(region)) return;
    const regions = span.regions.includes(region) ? span.regions : [...span.regions, region];
    this.spans.set(key, { ...span, regions, from: time < span.from ? time : span.from, to: time > span.to ? time : span.to });
  }
}
