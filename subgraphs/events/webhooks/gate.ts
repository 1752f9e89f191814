/** Lets at most `places` pieces of work run at a time; the others wait in the order in which they came. */
export class Gate {
  private readonly waiting: (() => void)[] = [];

  constructor(private places: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.places > 0) this.places--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // whoever waits longest takes the place over
      const next = this.waiting.shift();
      if (next) next();
      else this.places++;
    }
  }
}
