import type { TransactionOf } from '../store/query.js';
import { CounterChanges } from './counter-changes.js';
import { CVE_FIELDS, CveChanges, type CveFacts } from './cves/changes.js';
import { COUNTED_FIELDS, type CountedRow } from './counters.js';
import { FEED_FIELDS, FeedChanges, type FedFinding } from './feed/feed-changes.js';
import { OPEN_FIELDS, OpenChanges, type OpenFacts, type OpenFindingsServices } from './open-changes.js';
import { JUDGED_FIELDS, type JudgedFinding } from './rule-tallies.js';
import { VerdictChanges } from './verdict-changes.js';

/** A finding as far as anything follows from its changes. */
type Effective = CountedRow & JudgedFinding & OpenFacts & CveFacts & FedFinding;
/** The fields of such a finding. */
export const EFFECTIVE_FIELDS: readonly string[] = [
  ...new Set<string>([...COUNTED_FIELDS, ...JUDGED_FIELDS, ...OPEN_FIELDS, ...CVE_FIELDS, ...FEED_FIELDS]),
];

/**
 * What follows from changes of one engine's findings, gathered over a batch and written in its transaction: counters, what the results of rules
 * count as, the open findings of resources, the CVEs of vulnerabilities, and the feed of changes.
 */
export class FindingEffects {
  private readonly counters = new CounterChanges();
  private readonly verdicts = new VerdictChanges();
  private readonly open = new OpenChanges();
  private readonly feed = new FeedChanges();
  private readonly cves = new CveChanges();

  opened(row: Effective): void {
    this.came(row);
    this.verdicts.move(null, row);
    this.feed.opened(row);
  }

  /** @param otherwise what the feed calls it where the finding is neither resolved nor back */
  moved(before: Effective, after: Effective, otherwise: 'changed' | 'triaged' = 'changed'): void {
    this.counters.move(before, after);
    this.verdicts.move(before, after);
    this.open.move(before, after);
    this.cves.move(before, after);
    this.feed.changed(before, after, otherwise);
  }

  removed(row: Effective): void {
    this.wentOver(row);
    this.verdicts.move(row, null);
  }

  /** A finding that comes from another engine: the results of its rule count as they did. */
  cameOver(row: CountedRow & OpenFacts & CveFacts & FedFinding): void {
    this.came(row);
    this.feed.cameOver(row);
  }

  /** A finding that goes to another engine. */
  wentOver(row: CountedRow & OpenFacts & CveFacts & FedFinding): void {
    this.counters.add(row, -1);
    this.open.move(row, null);
    this.cves.move(row, null);
    this.feed.removed(row);
  }

  /** A finding of which a person sees something else that nothing but the feed goes by. */
  retold(before: FedFinding, after: FedFinding, otherwise: 'changed' | 'triaged' = 'changed'): void {
    this.feed.changed(before, after, otherwise);
  }

  /** A finding that another run has seen as it was. */
  confirmed(before: CountedRow & CveFacts, after: CountedRow & CveFacts): void {
    this.counters.move(before, after);
    this.cves.move(before, after);
  }

  /** A suppressed finding that a run does not see any more. */
  absent(before: JudgedFinding & FedFinding, after: JudgedFinding & FedFinding): void {
    this.verdicts.move(before, after);
    this.feed.changed(before, after);
  }

  /** Writes it, once the findings are written in the same transaction. */
  async write(services: OpenFindingsServices, tenantId: string, engine: string, transaction: TransactionOf): Promise<void> {
    const database = services.database.tenant(tenantId).engine(engine);
    await this.counters.write(database, transaction);
    await this.cves.write(database, transaction);
    await this.verdicts.write(services.database, tenantId, transaction);
    await this.open.write(services, tenantId, engine, transaction);
    await this.feed.write(services, tenantId, engine, transaction);
  }

  private came(row: CountedRow & OpenFacts & CveFacts): void {
    this.counters.add(row, 1);
    this.open.move(null, row);
    this.cves.move(null, row);
  }
}
