import { LAST_PORT } from '../cel/firewall/traffic-rule.js';

const DECISIONS = ['deny', 'allow', 'next'] as const;

export type Decision = (typeof DECISIONS)[number];

/**
 * Decides ports in the order of rules: the first that names a port decides it. Each port is decided once, so that any number of rules costs
 * little more than reading them (a disjoint-set forest whose roots are the undecided ports).
 */
export class PortDecisions {
  private readonly next = new Int32Array(LAST_PORT + 2).map((_, port) => port);
  private readonly decided = new Uint8Array(LAST_PORT + 1);

  decide(from: number, to: number, decision: Decision): void {
    const last = Math.min(to, LAST_PORT);
    for (let port = this.undecided(Math.max(0, from)); port <= last; port = this.undecided(port)) {
      this.decided[port] = DECISIONS.indexOf(decision);
      this.next[port] = port + 1;
    }
  }

  private undecided(port: number): number {
    let root = Math.min(port, LAST_PORT + 1);
    while (this.next[root] !== root) root = this.next[root]!;
    for (let at = Math.min(port, LAST_PORT + 1); at !== root;) {
      const after = this.next[at]!;
      this.next[at] = root;
      at = after;
    }
    return root;
  }

  /** The ports that were decided so, as ranges. */
  ranges(decision: Decision): Ranges {
    const wanted = DECISIONS.indexOf(decision);
    const ranges: [number, number][] = [];
    for (let port = 0; port <= LAST_PORT; port++) {
      if (this.decided[port] !== wanted) continue;
      const last = ranges.at(-1);
      if (last?.[1] === port - 1) last[1] = port;
      else ranges.push([port, port]);
    }
    return ranges;
  }
}

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
