/**
 * Batches of one queue are written one after the other, those that change findings behind what was brought of the inventory before them. Events and
 * components stand beside both.
 */
export type Queue = 'findings' | 'inventory' | 'events' | 'components';

/** Writes batches while the next ones are read: one of each queue at a time. */
export class BatchWriter {
  /** @param timed takes the time of a batch's work */
  constructor(private readonly timed: (queue: Queue, work: () => Promise<void>) => Promise<void>) {}

  private readonly inFlight: Record<Queue, Promise<void>> = {
    findings: Promise.resolve(),
    inventory: Promise.resolve(),
    events: Promise.resolve(),
    components: Promise.resolve(),
  };

  /** Starts a batch as soon as the one before it is written; reading goes on meanwhile. A failure is thrown at the next batch. */
  async write(queue: Queue, batch: () => Promise<void>): Promise<void> {
    await this.inFlight[queue];
    // findings count among those of their assets, which come first
    const before = queue === 'findings' ? this.inFlight.inventory : undefined;
    const started = (async () => {
      await before;
      await this.timed(queue, batch);
    })();
    started.catch(() => {});
    this.inFlight[queue] = started;
  }

  /** Waits until all is written. @throws what a batch has thrown */
  async flush(): Promise<void> {
    await Promise.all(Object.values(this.inFlight));
  }

  /** Waits for the batches that are being written, however they end. */
  async settle(): Promise<void> {
    await Promise.allSettled(Object.values(this.inFlight));
  }
}
