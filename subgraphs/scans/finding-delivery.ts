import type { PreparedObservation } from '../../kit/engine/finding-sink.js';

/** Findings written at a time, and about how many bytes: what they have in common, as counters and the log, is written once. */
const MOST_FINDINGS = 1_000;
const MOST_BYTES = 4 * 1024 * 1024;

/** Writes a batch of one engine's observations. @param passed is told which findings the batch saw pass, once it is written */
type Write = (owner: string, batch: readonly PreparedObservation[], passed: (ids: readonly string[]) => void) => Promise<void>;

/** Takes the observations of one report, and hands them on in batches, engine by engine. */
export class FindingDelivery {
  /** Engine -> the findings of it that the report saw pass. */
  readonly passed = new Map<string, string[]>();
  private readonly waiting = new Map<string, { batch: PreparedObservation[]; bytes: number }>();

  constructor(private readonly write: Write) {}

  async take(owner: string, observation: PreparedObservation): Promise<void> {
    const waiting = this.waiting.get(owner) ?? { batch: [], bytes: 0 };
    this.waiting.set(owner, waiting);
    waiting.bytes += observation.size;
    if (waiting.batch.push(observation) >= MOST_FINDINGS || waiting.bytes >= MOST_BYTES) await this.flushOf(owner);
  }

  /** Writes what was taken and is not written yet. */
  async flush(): Promise<void> {
    for (const owner of [...this.waiting.keys()]) await this.flushOf(owner);
  }

  private async flushOf(owner: string): Promise<void> {
    const { batch } = this.waiting.get(owner)!;
    this.waiting.delete(owner);
    await this.write(owner, batch, (ids) => {
      const all = this.passed.get(owner) ?? [];
      for (const id of ids) all.push(id);
      this.passed.set(owner, all);
    });
  }
}
