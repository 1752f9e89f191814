import type { IndicatorInput } from '../../schema/observations.js';

/** Values that are written at a time, at least. */
const AT_ONCE = 500;

/** Takes the indicators of one report, and hands them on in batches. */
export class IndicatorDelivery {
  /** Whether there were any. */
  isMet = false;
  private waiting: IndicatorInput[] = [];
  private values = 0;

  constructor(private readonly write: (batch: readonly IndicatorInput[]) => Promise<void>) {}

  async take(indicator: IndicatorInput): Promise<void> {
    this.isMet = true;
    this.waiting.push(indicator);
    this.values += indicator.values.length;
    if (this.values >= AT_ONCE) await this.flush();
  }

  /** Writes what was taken and is not written yet. */
  async flush(): Promise<void> {
    if (this.waiting.length === 0) return;
    const batch = this.waiting;
    [this.waiting, this.values] = [[], 0];
    await this.write(batch);
  }
}
