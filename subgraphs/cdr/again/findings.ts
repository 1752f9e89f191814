import { factsOf } from '../../../catalog/facts.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { DETECTION_SOURCE, type Detected } from '../../../kit/engine/event-pack.js';
import type { IngestRun } from '../../../kit/engine/finding-sink.js';
import { findingRowId, findings, type ResolvedBy } from '../../../kit/findings/row.js';
import { DETECTIONS } from '../detections/note.js';

/** What the runs of this job begin with. */
export const RUN_PREFIX = 'detections-';
/** Findings that are written together. */
const BATCH = 200;

/** Writes what rules have seen as findings, with the rules and the actors that they name. */
export class FindingWriter {
  private readonly run: IngestRun;
  private waiting: Detected[] = [];

  constructor(
    private readonly context: EngineContext,
    run: Pick<IngestRun, 'scan_run_id' | 'at'>,
  ) {
    this.run = { ...run, format: DETECTION_SOURCE };
  }

  async take(detected: Detected): Promise<void> {
    if (this.waiting.push(detected) >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const { services } = this.context;
    const all = this.waiting;
    this.waiting = [];
    if (all.length === 0) return;
    const sink = services.ingest.findings(this.context, DETECTIONS);
    const prepared = all.map((one) => ({ ...one, own: sink.prepare(this.run, one.observation) }));
    const closed = await this.closedByPeople(prepared.map(({ own }) => own.id));
    const told = prepared.filter(({ own }) => !closed.has(own.id));
    await services.ingest.rules(this.context, [...new Map(told.map(({ rule }) => [rule.rule_id, rule])).values()]);
    const named = told.filter(({ observation }) => observation.result === 'FAIL').map(({ observation }) => observation);
    const actors = new Map(named.map((one) => [one.resource_uid, one]));
    await services.ingest.assets(
      this.context,
      this.run,
      [...actors.values()].map((one) => {
        const { resource_uid, resource_type, resource_name, provider, account_id, region } = one;
        const facts = factsOf(one, this.run.at);
        return {
          resource_uid,
          resource_type,
          resource_name,
          provider,
          account_id,
          region,
          configuration: null,
          ...(facts && { told: facts }),
        };
      }),
      [],
    );
    const passed = await sink.ingest(
      this.run,
      told.map(({ own }) => own),
    );
    await sink.closePassed(this.run, passed);
  }

  /** Of some findings those that were resolved, and not by a job like this: nothing new has happened that would open them again. */
  private async closedByPeople(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { tenant_id } = this.context.auth;
    const rowIds = ids.map((id) => findingRowId(tenant_id, DETECTIONS, id));
    const fields = ['finding_id', 'resolved_by'] as const;
    const rows = await this.context.collection(findings).find({ _id: { $in: rowIds }, status: 'RESOLVED' }, { fields });
    const isOurs = (by: ResolvedBy | null) => by !== null && 'scan_run_id' in by && by.scan_run_id.startsWith(RUN_PREFIX);
    return new Set(rows.flatMap(({ finding_id, resolved_by }) => (isOurs(resolved_by) ? [] : [finding_id])));
  }
}
