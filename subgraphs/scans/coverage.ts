import type { IngestRun, Scope } from '../../kit/engine/finding-sink.js';
import type { ScanRunRow } from './records.js';

/** A run as finding stores know it. */
export const ingestRunOf = ({ scan_run_id, started_at, format, observed_at, created_at }: ScanRunRow): IngestRun => ({
  scan_run_id,
  at: started_at!,
  format,
  observed_at: observed_at ?? created_at,
});

/** What a run covers of each engine, and may therefore close (decision 19). */
export class Coverage {
  private readonly scopes = new Map<string, { owner: string; scope: Scope }>();

  /** @param format of the report that is read: the source of what names none */
  constructor(public format: string) {}

  add(owner: string, { source, account_id, artifact }: { source?: string; account_id?: string; artifact?: string }): void {
    const scope: Scope = { source: source ?? this.format, account_id: account_id ?? null, artifact: artifact ?? null };
    this.scopes.set(JSON.stringify([owner, scope]), { owner, scope });
  }

  /** What the caller names is covered even where the report finds nothing in it. */
  addNamed(owners: readonly string[], { account_id, artifact }: { account_id?: string; artifact?: string }): void {
    if (account_id || artifact) for (const owner of owners) this.add(owner, { account_id, artifact });
  }

  get all(): { owner: string; scope: Scope }[] {
    return [...this.scopes.values()];
  }
}

/** Whether a run takes findings of an engine in: one that asks an account may be narrowed to some. */
export const covers = ({ coverage }: Pick<ScanRunRow, 'coverage'>, engine: string): boolean =>
  !coverage || coverage.engines.length === 0 || coverage.engines.includes(engine);
