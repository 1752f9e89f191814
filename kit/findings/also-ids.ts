import type { Observation } from '../../schema/observations.js';
import { isStanding } from './lifecycle.js';
import type { StoredFacts } from './merge.js';
import { findingId } from './row.js';

/** An observation, as far as stored findings are found by it. */
export interface Sought {
  readonly id: string;
  readonly formerIds: readonly string[];
  readonly artifactIds: readonly string[];
  readonly isShared: boolean;
  readonly content: { readonly source: string };
}

/** What is compared of stored findings. */
type Stored = Pick<StoredFacts, '_id' | 'finding_id' | 'also_ids' | 'source' | 'status' | 'absent_since' | 'first_seen_at'>;

/** The ids that an observation would have if its artifact were named by its digests: by them it is found under another name of the artifact. */
export function artifactIdsOf(engine: string, observation: Observation): string[] {
  const { is_shared, artifact_digests: digests = [] } = observation;
  return is_shared === true ? digests.map((digest) => findingId(engine, { ...observation, resource_uid: digest })) : [];
}

/** By which ids a finding is found beside its own, once an observation of it was taken in. */
export const alsoIdsOf = ({ id, artifactIds }: Sought, findingId: string): string[] => [...(id === findingId ? [] : [id]), ...artifactIds];

/** The ids by which an observation is looked for. */
const soughtIds = ({ id, formerIds, artifactIds }: Sought): string[] => [id, ...formerIds, ...artifactIds];

/** How near a stored finding is to an observation, 0 the nearest; null where it is another. */
function distance({ id, formerIds, artifactIds, content }: Sought, row: Stored): number | null {
  if (row.finding_id === id) return 0;
  if (row.also_ids?.includes(id) === true) return 1;
  if (formerIds.includes(row.finding_id)) return 2;
  // one tool that looks at an artifact under two names tells of two places
  const isElsewhere = row.source !== content.source && isStanding(row) && artifactIds.some((one) => row.also_ids?.includes(one) === true);
  return isElsewhere ? 3 : null;
}

/**
 * The finding of an observation among stored ones: the nearest, then the oldest. Of what several tools report, one that stands goes before one that is
 * over.
 */
function nearest<Row extends Stored>(sought: Sought, rows: readonly Row[]): Row | undefined {
  return rows
    .flatMap((row) => {
      const far = distance(sought, row);
      return far === null ? [] : [{ row, far }];
    })
    .sort(
      (one, other) =>
        (sought.isShared && Number(isStanding(other.row)) - Number(isStanding(one.row))) ||
        one.far - other.far ||
        one.row.first_seen_at.getTime() - other.row.first_seen_at.getTime() ||
        (one.row._id < other.row._id ? -1 : 1),
    )[0]?.row;
}

/**
 * Observations in groups that are taken in one after the other, because one report may hold what several sources say of the same: in each group a
 * finding is told by one source.
 */
export function apartBySource<Told extends Sought>(observations: readonly Told[]): Told[][] {
  const groups: { told: Told[]; sources: Map<string, string> }[] = [];
  for (const one of observations) {
    const ids = [one.id, ...one.artifactIds];
    const { source } = one.content;
    let group = groups.find(({ sources }) => ids.every((id) => (sources.get(id) ?? source) === source));
    if (!group) groups.push((group = { told: [], sources: new Map() }));
    group.told.push(one);
    for (const id of ids) group.sources.set(id, source);
  }
  return groups.map(({ told }) => told);
}

/** Stored findings by the ids that observations may have for them. */
export class StoredById<Row extends Stored> {
  private readonly rows = new Map<string, Row[]>();

  constructor(rows: readonly Row[]) {
    for (const row of new Map(rows.map((one) => [one._id, one])).values())
      for (const id of [row.finding_id, ...(row.also_ids ?? [])]) this.rows.set(id, [...(this.rows.get(id) ?? []), row]);
  }

  of(sought: Sought): Row | undefined {
    const found = soughtIds(sought).flatMap((id) => this.rows.get(id) ?? []);
    return found.length === 0 ? undefined : nearest(sought, found);
  }
}
