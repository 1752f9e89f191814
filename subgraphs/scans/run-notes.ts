import type { ImportItem } from '../../importers/types.js';
import type { RunState } from '../../schema/model.js';
import type { CoverageGap } from '../../kit/engine/ingest-input.js';
import type { RunError, RunProgress } from './records.js';

/** What is told of the records that could not be taken in, at most. */
export const MAX_ERRORS = 100;
/** Places without an answer that are kept of one run. */
const MAX_GAPS = 2_000;

/** How many records of a report were taken in, and what is wrong with others. */
export class RunNotes {
  readonly progress: RunProgress = { records: 0, skipped: 0 };
  readonly errors: RunError[] = [];
  /** Where it got none, as far as that is known. */
  readonly gaps: CoverageGap[] = [];
  /** Whether there were more such places than are kept, or some that are not known. */
  hasMoreGaps = false;
  private isTruncated = false;
  private isAtFault = false;
  private unanswered = 0;
  /** Whether something was left out on purpose: the run is no less complete, and ends nothing of an inventory beside what is told whole. */
  hasSkips = false;

  /** Notes what became of a record. */
  take(item: Extract<ImportItem, { kind: 'record' | 'broken' | 'unanswered' | 'skipped' | 'truncated' }>): void {
    if (item.kind === 'record') this.progress.records += 1;
    else if (item.kind === 'broken') this.broken(item.position, item.reason);
    else if (item.kind === 'unanswered') this.noAnswer(item);
    else if (item.kind === 'skipped') this.leftOut(item);
    else this.truncated(item.position, item.reason);
  }

  /** Notes a record that could not be taken in. */
  broken(position: string, reason: string): void {
    this.progress.skipped += 1;
    this.note(position, reason);
  }

  /** Notes a record that was read and is not taken in. */
  refuse(position: string, reason: string): void {
    this.progress.records -= 1;
    this.broken(position, reason);
  }

  /** Notes what a collector got no answer to. */
  private noAnswer({ position, reason, place }: Extract<ImportItem, { kind: 'unanswered' }>): void {
    this.unanswered += 1;
    if (place) this.keep({ ...place, reason });
    else this.hasMoreGaps = true;
    this.refuse(position, reason);
  }

  private leftOut({ reason, place }: Extract<ImportItem, { kind: 'skipped' }>): void {
    this.hasSkips = true;
    this.keep({ ...place, reason, isSkipped: true });
  }

  private keep(gap: CoverageGap): void {
    if (this.gaps.length < MAX_GAPS) this.gaps.push(gap);
    else this.hasMoreGaps = true;
  }

  /** Whether nothing else than missing answers makes the run incomplete: what it has told is then right. */
  get lacksAnswersAlone(): boolean {
    return this.unanswered > 0 && this.progress.skipped === this.unanswered && !this.isTruncated && !this.isAtFault;
  }

  /** Notes that the report ends early. */
  private truncated(position: string, reason: string): void {
    this.isTruncated = true;
    this.note(position, reason);
  }

  /** Notes what is wrong with the run as a whole, before its records. */
  precede(reasons: readonly string[]): void {
    this.isAtFault ||= reasons.length > 0;
    this.errors.unshift(...reasons.map((reason) => ({ position: 'run', reason })));
    this.errors.splice(MAX_ERRORS);
  }

  /** The state of a run that read its report to the end. @param isWhole whether there was room for all that was read */
  outcome(isWhole: boolean): RunState {
    const { records, skipped } = this.progress;
    if (isWhole && !this.isTruncated && skipped === 0) return 'COMPLETED';
    return records > 0 ? 'PARTIAL' : 'FAILED';
  }

  private note(position: string, reason: string): void {
    if (this.errors.length < MAX_ERRORS) this.errors.push({ position, reason });
  }
}
