import type { Socket } from 'node:net';
import { CommandError } from './errors.js';

/** Milliseconds that a read may take when its client sets no time. */
const LONGEST = 5 * 60_000;

/** One command under way, or one batch of a cursor: it ends when its time is over or its client has gone. */
export class Operation {
  #until: number;

  /** @param milliseconds the client's own limit (maxTimeMS) */
  constructor(
    private client: Socket,
    private readonly milliseconds: number = LONGEST,
  ) {
    this.#until = performance.now() + milliseconds;
  }

  /** Begins again for the next batch of a cursor. */
  restart(client: Socket): void {
    this.client = client;
    this.#until = performance.now() + this.milliseconds;
  }

  /** Throws when there is no use in going on. */
  readonly check = (): void => {
    if (this.client.destroyed) throw new CommandError(279, 'the client has gone');
    if (performance.now() > this.#until) throw new CommandError(50, 'operation exceeded time limit');
  };
}
