import { LAST_PORT } from '../cel/firewall/traffic-rule.js';

export type Decision = 'deny' | 'allow' | 'next';

/**
 * Decides ports in the order of rules: the first that names a port decides it. Ports between which no rule tells a difference are decided together,
 * and each such range once, so that any number of rules costs little more than sorting them (a disjoint-set forest whose roots are undecided ranges).
 */
export class PortDecisions {
  /** The first port of each range, and behind the last range the port behind all. */
  private readonly firsts: readonly number[];
  private readonly at: ReadonlyMap<number, number>;
  private readonly next: number[];
  private readonly decided: (Decision | undefined)[];

  /** @param asked the ranges that will be decided */
  constructor(asked: Ranges) {
    const bounds = new Set([0, LAST_PORT + 1]);
    for (const [from, to] of asked) bounds.add(clamped(from)).add(clamped(to + 1));
    this.firsts = [...bounds].sort((one, other) => one - other);
    this.at = new Map(this.firsts.map((first, index) => [first, index]));
    this.next = this.firsts.map((_, index) => index);
    this.decided = this.firsts.map(() => undefined);
  }

  decide(from: number, to: number, decision: Decision): void {
    const end = this.at.get(clamped(to + 1))!;
    for (let range = this.undecided(this.at.get(clamped(from))!); range < end; range = this.undecided(range)) {
      this.decided[range] = decision;
      this.next[range] = range + 1;
    }
  }

  private undecided(range: number): number {
    let root = range;
    while (this.next[root] !== root) root = this.next[root]!;
    for (let at = range; at !== root;) {
      const after = this.next[at]!;
      this.next[at] = root;
      at = after;
    }
    return root;
  }

  /** The ports that were decided so. */
  ranges(decision: Decision): Ranges {
    const own = this.firsts
      .slice(0, -1)
      .flatMap((first, index) => (this.decided[index] === decision ? [[first, this.firsts[index + 1]! - 1] as const] : []));
    return unite(own, []);
  }
}

const clamped = (port: number): number => Math.min(Math.max(0, port), LAST_PORT + 1);

/** Disjoint ranges of ports in ascending order. */
export type Ranges = readonly (readonly [number, number])[];

export const EVERY_PORT: Ranges = [[0, LAST_PORT]];

/** Ports that are in both. */
export function intersect(a: Ranges, b: Ranges): Ranges {
  const both: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [x, y] = [a[i]!, b[j]!];
    const [from, to] = [Math.max(x[0], y[0]), Math.min(x[1], y[1])];
    if (from <= to) both.push([from, to]);
    if (x[1] < y[1]) i += 1;
    else j += 1;
  }
  return both;
}

/** Ports that are in either. */
export function unite(a: Ranges, b: Ranges): Ranges {
  const united: [number, number][] = [];
  for (const [from, to] of [...a, ...b].sort((x, y) => x[0] - y[0])) {
    const last = united.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else united.push([from, to]);
  }
  return united;
}
