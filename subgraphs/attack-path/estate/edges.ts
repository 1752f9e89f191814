import { adjacency, type Adjacency } from '../../../kit/graph/graph.js';
import type { GraphEdge } from '../../../kit/read/attack-graph.js';

/** What the edge of an access says. */
export type EdgeAccess = GraphEdge['access'];

/** Texts by numbers: rows that come from another thread bring each its own strings, and a number takes less room than any. */
export class Texts {
  private readonly numbers = new Map<string, number>();
  private readonly texts: string[] = [];

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  /** The number of a text that is known. */
  find(text: string): number | undefined {
    return this.numbers.get(text);
  }

  at(number: number): string {
    return this.texts[number]!;
  }

  /** One string of several alike. */
  one(text: string): string {
    return this.at(this.numberOf(text));
  }

  get size(): number {
    return this.texts.length;
  }
}

/** What edges of access say, each once: grants by one policy say the same of all that it names. */
export class Accesses {
  private readonly known = new Map<string, EdgeAccess>();

  one(access: EdgeAccess): EdgeAccess {
    if (access === null) return null;
    const { privilege, conditional, way, by } = access;
    const key = [privilege, conditional, way, ...by.map(({ resource_uid }) => resource_uid)].join('\n');
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.known.set(key, access);
    return access;
  }
}

/** Edges of one kind, by either of their ends; those of a resource in the order in which they were told. */
export class Edges {
  private readonly from: number[] = [];
  private readonly to: number[] = [];
  private readonly accesses: EdgeAccess[] = [];
  private ordered: { out: Adjacency; into: Adjacency } | null = null;

  constructor(
    private readonly texts: Texts,
    private readonly known: Accesses,
  ) {}

  add(from: string, to: string, access: EdgeAccess): void {
    this.from.push(this.texts.numberOf(from));
    this.to.push(this.texts.numberOf(to));
    this.accesses.push(this.known.one(access));
    this.ordered = null;
  }

  outOf(uid: string): string[] {
    return this.at(uid, 'out', this.to);
  }

  into(uid: string): string[] {
    return this.at(uid, 'into', this.from);
  }

  countInto(uid: string): number {
    const [first, end] = this.range(uid, 'into');
    return end - first;
  }

  *all(): Generator<{ from: string; to: string; access: EdgeAccess }> {
    for (const [number, from] of this.from.entries())
      yield { from: this.texts.at(from), to: this.texts.at(this.to[number]!), access: this.accesses[number]! };
  }

  private at(uid: string, end: 'out' | 'into', others: readonly number[]): string[] {
    const [first, behind] = this.range(uid, end);
    if (first === behind) return [];
    const { steps } = this.order()[end];
    return Array.from(steps.subarray(first, behind), (number) => this.texts.at(others[number]!));
  }

  /** Where the edges of a resource stand in the order by one end. */
  private range(uid: string, end: 'out' | 'into'): [number, number] {
    const number = this.from.length === 0 ? undefined : this.texts.find(uid);
    if (number === undefined) return [0, 0];
    const { starts } = this.order()[end];
    // what was told of since has no edges
    return number + 1 < starts.length ? [starts[number]!, starts[number + 1]!] : [0, 0];
  }

  private order(): { out: Adjacency; into: Adjacency } {
    const { size } = this.texts;
    return (this.ordered ??= { out: adjacency(size, this.from), into: adjacency(size, this.to) });
  }
}
