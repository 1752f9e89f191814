import { packageKey } from '../catalog/advisories/ecosystems.js';
import { AdvisoryIndex } from '../catalog/advisories/match.js';
import type { Advisory, AffectedPackage } from '../catalog/advisories/types.js';
import type { Database } from '../kit/store/database.js';
import { advisories, type AdvisoryRow } from './records.js';

/** An advisory and what it says of one of its packages. */
export interface AboutPackage {
  readonly key: string;
  readonly facts: Omit<AdvisoryRow, 'affected'>;
  readonly index: AdvisoryIndex<Advisory>;
}

/** Advisories decoded at a time: those of much-used packages list thousands of versions. */
const BATCH = 50;
/** What is remembered, in versions and events of ranges; an advisory itself counts as so many. Some 100 MiB. */
const MOST = 1_000_000;
const OF_AN_ADVISORY = 20;

/**
 * Advisories by the packages that they are about, read along their index one after the other. Those of packages that have been asked for are remembered
 * as far as there is room, because the artifacts of an estate have the same packages; the others are read again, one in memory at a time.
 */
export class AdvisoriesByPackage {
  private readonly known = new Map<string, readonly AboutPackage[]>();
  private weight = 0;
  private change: string | null = null;

  constructor(private readonly database: Database) {}

  /** Says up to which change of advisories what follows has to be known: all that was read before another one is forgotten. */
  asOf(change: string | null): void {
    if (change !== this.change) this.forget();
    this.change = change;
  }

  /** The advisories of packages, those of one package behind each other or not. */
  async *of(keys: Iterable<string>): AsyncGenerator<AboutPackage> {
    const read = new Map<string, AboutPackage[]>();
    for (const key of keys) {
      const known = this.known.get(key);
      if (known) yield* known;
      else read.set(key, []);
    }
    if (read.size === 0) return;
    let weight = 0;
    const rows = this.database.system(advisories).scan({ packages: { $in: [...read.keys()] } }, { batchSize: BATCH });
    for await (const { affected, ...facts } of rows) {
      for (const key of facts.packages) {
        const entries = read.get(key);
        if (!entries) continue;
        const about = affected.filter((one) => packageKey(one) === key);
        const one = { key, facts, index: new AdvisoryIndex([{ id: facts._id, affected: about }]) };
        weight += weightOf(about);
        if (this.weight + weight <= MOST) entries.push(one);
        yield one;
      }
    }
    // the first that are asked for are the most used: they stay
    if (this.weight + weight > MOST) return;
    this.weight += weight;
    for (const [key, entries] of read) this.known.set(key, entries);
  }

  private forget(): void {
    this.known.clear();
    this.weight = 0;
  }
}

const weightOf = (affected: readonly AffectedPackage[]): number =>
  affected.reduce(
    (sum, { versions, ranges }) => sum + versions.length + ranges.reduce((of, { events }) => of + events.length, 0),
    OF_AN_ADVISORY,
  );
