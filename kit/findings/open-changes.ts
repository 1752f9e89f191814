import type { EngineServices, IngestTargets } from '../engine/context.js';
import { openFindingsKey } from '../engine/open-findings.js';
import type { TransactionOf } from '../store/query.js';
import { CLOSABLE } from './lifecycle.js';
import type { FindingRow } from './row.js';

/** What makes a finding count among the open ones of its resource. */
export const OPEN_FIELDS = ['resource_uid', 'status', 'severity', 'risk_score'] as const;
export type OpenFacts = Pick<FindingRow, (typeof OPEN_FIELDS)[number]>;

/** What is asked to take changes of open findings. */
export type OpenFindingsServices = Pick<EngineServices, 'clock' | 'database' | 'findingEngines'> & {
  readonly ingest: Pick<IngestTargets, 'openFindings'>;
};

/** Changes of the open findings of resources in one engine, gathered over a batch and written in its transaction. */
export class OpenChanges {
  private readonly resources = new Map<string, Map<string, number>>();

  /** Takes note of a finding that comes (`before` null), changes, or goes (`after` null). */
  move(before: OpenFacts | null, after: OpenFacts | null): void {
    if (before) this.count(before, -1);
    if (after) this.count(after, 1);
  }

  async write(services: OpenFindingsServices, tenantId: string, engine: string, transaction: TransactionOf): Promise<void> {
    const changes = new Map<string, Record<string, number>>();
    for (const [uid, cells] of this.resources) {
      const changed = [...cells].filter(([, step]) => step !== 0);
      if (changed.length > 0) changes.set(uid, Object.fromEntries(changed));
    }
    if (changes.size > 0) await services.ingest.openFindings(services, tenantId, engine, changes, transaction);
  }

  private count(finding: OpenFacts, step: 1 | -1): void {
    if (!CLOSABLE.includes(finding.status)) return;
    let cells = this.resources.get(finding.resource_uid);
    if (!cells) this.resources.set(finding.resource_uid, (cells = new Map()));
    const key = openFindingsKey(finding);
    cells.set(key, (cells.get(key) ?? 0) + step);
  }
}
