import { packageKey } from '../catalog/advisories/ecosystems.js';
import { AdvisoryIndex } from '../catalog/advisories/match.js';
import type { Advisory, AffectedPackage } from '../catalog/advisories/types.js';
import type { Database } from '../kit/store/database.js';
import { advisories, type AdvisoryRow } from './records.js';

const FACTS = ['aliases', 'summary', 'severity', 'cvss', 'modified', 'rule_ids'] as const;

/** An advisory as far as it is about one package, and what findings tell of it. */
export interface StoredAdvisory extends Advisory {
  readonly facts: Pick<AdvisoryRow, '_id' | (typeof FACTS)[number]>;
}

/** Advisories about one package: all of them, or the next one. */
export interface AboutPackage {
  readonly key: string;
  readonly index: AdvisoryIndex<StoredAdvisory>;
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
  private readonly known = new Map<string, AdvisoryIndex<StoredAdvisory>>();
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
    const read = new Map<string, StoredAdvisory[]>();
    for (const key of keys) {
      const index = this.known.get(key);
      if (index) yield { key, index };
      else read.set(key, []);
    }
    if (read.size === 0) return;
    let weight = 0;
    const fields = ['packages', 'affected', ...FACTS];
    const rows = this.database.system(advisories).scan({ packages: { $in: [...read.keys()] } }, { batchSize: BATCH, fields });
    for await (const { affected, packages, ...facts } of rows) {
      for (const key of packages) {
        const entries = read.get(key);
        if (!entries) continue;
        const about = affected.filter((one) => packageKey(one) === key);
        const advisory = { id: facts._id, affected: about, facts };
        weight += weightOf(about);
        if (this.weight + weight <= MOST) entries.push(advisory);
        yield { key, index: new AdvisoryIndex([advisory]) };
      }
    }
    // the first that are asked for are the most used: they stay
    if (this.weight + weight > MOST) return;
    this.weight += weight;
    for (const [key, entries] of read) this.known.set(key, new AdvisoryIndex(entries));
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
