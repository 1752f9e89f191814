import type { Database } from '../store/database.js';
import type { TransactionOf } from '../store/query.js';
import { CounterChanges } from './counter-changes.js';
import { CVE_FIELDS, CveChanges, type CveFacts } from './cves/changes.js';
import { COUNTED_FIELDS, type CountedRow } from './counters.js';
import { OPEN_FIELDS, OpenChanges, type OpenFacts, type OpenFindingsServices } from './open-changes.js';
import { JUDGED_FIELDS, type JudgedFinding } from './rule-tallies.js';
import { VerdictChanges } from './verdict-changes.js';

/** A finding as far as anything follows from its changes. */
type Effective = CountedRow & JudgedFinding & OpenFacts & CveFacts;
/** The fields of such a finding. */
export const EFFECTIVE_FIELDS: readonly string[] = [
  ...new Set<string>([...COUNTED_FIELDS, ...JUDGED_FIELDS, ...OPEN_FIELDS, ...CVE_FIELDS]),
];

/**
 * What follows from changes of one engine's findings, gathered over a batch and written in its transaction: counters, what the results of rules
 * count as, the open findings of resources, and the CVEs of vulnerabilities.
 */
export class FindingEffects {
  private readonly counters = new CounterChanges();
  private readonly verdicts = new VerdictChanges();
  private readonly open = new OpenChanges();
  private readonly cves = new CveChanges();

  opened(row: Effective): void {
    this.cameOver(row);
    this.verdicts.move(null, row);
  }

  moved(before: Effective, after: Effective): void {
    this.counters.move(before, after);
    this.verdicts.move(before, after);
    this.open.move(before, after);
    this.cves.move(before, after);
  }

  removed(row: Effective): void {
    this.wentOver(row);
    this.verdicts.move(row, null);
  }

  /** A finding that comes from another engine: the results of its rule count as they did. */
  cameOver(row: CountedRow & OpenFacts & CveFacts): void {
    this.counters.add(row, 1);
    this.open.move(null, row);
    this.cves.move(null, row);
  }

  /** A finding that goes to another engine. */
  wentOver(row: CountedRow & OpenFacts & CveFacts): void {
    this.counters.add(row, -1);
    this.open.move(row, null);
    this.cves.move(row, null);
  }

  /** A finding that another run has seen as it was. */
  confirmed(before: CountedRow & CveFacts, after: CountedRow & CveFacts): void {
    this.counters.move(before, after);
    this.cves.move(before, after);
  }

  /** A suppressed finding that a run does not see any more. */
  absent(before: JudgedFinding, after: JudgedFinding): void {
    this.verdicts.move(before, after);
  }

  /** Writes it, once the findings are written in the same transaction. */
  async write(
    services: OpenFindingsServices & { readonly database: Database },
    tenantId: string,
    engine: string,
    transaction: TransactionOf,
  ): Promise<void> {
    const database = services.database.tenant(tenantId).engine(engine);
    await this.counters.write(database, transaction);
    await this.cves.write(database, transaction);
    await this.verdicts.write(services.database, tenantId, transaction);
    await this.open.write(services, tenantId, engine, transaction);
  }
}
