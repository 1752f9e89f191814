/** Takes what a report holds of one kind, and hands it on in batches. */
export class Batched<T> {
  private waiting: T[] = [];
  private weight = 0;

  /**
   * @param most what a batch weighs at least when it is handed on before the end
   * @param weightOf what one of it weighs
   */
  constructor(
    private readonly write: (batch: readonly T[]) => Promise<void>,
    private readonly most: number,
    private readonly weightOf: (one: T) => number = () => 1,
  ) {}

  async take(one: T): Promise<void> {
    this.waiting.push(one);
    this.weight += this.weightOf(one);
    if (this.weight >= this.most) await this.flush();
  }

  /** Hands on what was taken and is not yet. */
  async flush(): Promise<void> {
    if (this.waiting.length === 0) return;
    const batch = this.waiting;
    [this.waiting, this.weight] = [[], 0];
    await this.write(batch);
  }
}
