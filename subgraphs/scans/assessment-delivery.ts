import type { AssessmentInput } from '../../schema/observations.js';

/** Statements that are acted on at a time. */
const BATCH = 100;

/** Takes what a report says of vulnerabilities that do not concern what has them. */
export class AssessmentDelivery {
  private readonly waiting = new Map<string, AssessmentInput[]>();

  /** @param write acts on statements about findings of an engine, behind the findings that were taken before */
  constructor(private readonly write: (owner: string, batch: readonly AssessmentInput[]) => Promise<void>) {}

  async take(assessment: AssessmentInput): Promise<void> {
    const waiting = this.waiting.get(assessment.engine) ?? [];
    this.waiting.set(assessment.engine, waiting);
    if (waiting.push(assessment) >= BATCH) await this.flush();
  }

  /** Acts on what was taken and was not acted on yet. */
  async flush(): Promise<void> {
    for (const [owner, batch] of this.waiting) {
      this.waiting.delete(owner);
      await this.write(owner, batch);
    }
  }
}
