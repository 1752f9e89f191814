import type { AssessmentInput, Observation } from '../../schema/observations.js';

/** The run that observations come from. */
export interface IngestRun {
  scan_run_id: string;
  /** When the run began; the same on every try. */
  at: Date;
  /** When what it reports was observed; `at` where nobody tells. What `first_seen_at` and `last_seen_at` become. */
  observed_at?: Date | null;
  /** Name of the report's format; the `source` of observations that name none. */
  format: string;
}

/** An observation as `ingest` takes it. */
export interface PreparedObservation {
  readonly id: string;
  /** The ids that it had under the engine's former owner, and by the discriminator that earlier releases gave it. */
  readonly formerIds: readonly string[];
  readonly result: Observation['result'];
  /** About how many bytes its finding takes. */
  readonly size: number;
}

/** Part of what a completed run closes by (decision 19). Absent parts match findings that lack them, `region` and `service` any. */
export interface Scope {
  source: string;
  account_id: string | null;
  artifact: string | null;
  region?: string;
  service?: string;
}

/** Why a run closes a finding that it did not see pass or go; the audit log tells it. */
export type ClosedBecause =
  | { readonly reason: 'rule_retired' }
  | { readonly reason: 'rule_off' }
  | { readonly reason: 'implied'; readonly implied_by: string }
  | { readonly reason: 'profile'; readonly profile: string };

/** The findings of one engine and tenant, as scan runs change them. Every change carries its counters and audit entries in one transaction. */
export interface FindingSink {
  /** What `ingest` takes of an observation; a report's reader makes it while the store writes the batch before. */
  prepare(run: IngestRun, observation: Observation): PreparedObservation;
  /**
   * Takes in what a run reports; doing the same batch again changes nothing more.
   * @param observations as `prepare` of the same sink has made them
   * @returns `_id` of the findings that a PASS closes when the run completes
   */
  ingest(run: IngestRun, observations: readonly PreparedObservation[]): Promise<string[]>;
  /** Closes the findings that the completed `run` saw pass. */
  closePassed(run: IngestRun, rowIds: readonly string[]): Promise<void>;
  /**
   * Closes findings for another reason than that they pass; where their rules go on failing, what people have set aside stays.
   * @param because by `_id`
   */
  closeBecause(run: IngestRun, because: ReadonlyMap<string, ClosedBecause>): Promise<void>;
  /** Closes what lies in `scope` and was not seen by the completed `run`. */
  closeUnseen(run: IngestRun, scope: Scope): Promise<void>;
  /** Closes what is of these rules and one source and was not seen by the completed `run`. */
  closeUnseenOf(run: IngestRun, source: string, ruleIds: readonly string[]): Promise<void>;
  /** `_id` of the stored findings of `observations`, by the ids of those; what is not stored is left out. */
  known(observations: readonly PreparedObservation[]): Promise<Map<string, string>>;
  /** Takes note that `run` came by these findings and cannot tell whether they are fixed: they stay as they are. */
  keep(run: IngestRun, rowIds: readonly string[]): Promise<void>;
  /** Makes false positives of the findings that statements speak of; each statement does so once, so that a person may open them again. */
  assess(run: IngestRun, assessments: readonly AssessmentInput[]): Promise<void>;
  /** Closes every open finding of a rule, because the rule is no more. */
  closeRule(run: IngestRun, ruleId: string): Promise<void>;
}
