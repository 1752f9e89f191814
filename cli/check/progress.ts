import { stripVTControlCharacters } from 'node:util';

const FIRST_AFTER = 1_000;
const INTERVAL = 200;

/** What a stream of a terminal has for this. */
interface Terminal {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write(text: string): unknown;
}

/** One line on a terminal that says how far a check is, once it takes longer than a moment; nothing where nobody looks. */
export class Progress {
  private readonly began: number;
  private last = 0;

  /** @param now milliseconds of a clock */
  constructor(
    private readonly terminal: Terminal,
    isWanted: boolean,
    private readonly now = (): number => performance.now(),
  ) {
    this.began = isWanted && terminal.isTTY === true ? now() : Number.POSITIVE_INFINITY;
  }

  /** Tells what is at work; the evaluation does not wait, so this is asked at each resource and answers a few times a second. */
  show(doing: string): void {
    const at = this.now();
    if (at - this.began < FIRST_AFTER || at - this.last < INTERVAL) return;
    this.last = at;
    // names of files may hold what a terminal obeys; a line that breaks would stay
    const plain = stripVTControlCharacters(doing).replaceAll(/\p{Cc}/gu, '?');
    this.terminal.write(`\r\u001b[K${plain.slice(0, Math.min(100, (this.terminal.columns ?? 80) - 1))}`);
  }

  /** Takes the line away: what follows stands in its place. */
  end(): void {
    if (this.last > 0) this.terminal.write('\r\u001b[K');
  }
}
