import type { FindingStatus, Severity } from '../../../schema/model.js';
import { defineCollection, defineEngineCollection, type RowOf } from '../../store/collection.js';
import { date, list, number, object } from '../../store/fields.js';

/** What became of a finding, in the order in which one word goes before another where a transaction did several things to it. */
export const CHANGE_KINDS = ['changed', 'triaged', 'regressed', 'resolved', 'opened', 'removed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** One change of one finding: how it stands after it, and how it stood before where that was otherwise. */
export interface FeedEntry {
  id: string;
  kind: ChangeKind;
  status: FindingStatus;
  severity: Severity;
  version: number;
  from_status?: FindingStatus;
  from_severity?: Severity;
}

/**
 * What one transaction changed in the findings of one engine; `_id` is `<tenant_id>|<seq>`. Numbers are a tenant's, and each change has one: those
 * of a row's entries end with `seq`.
 */
export const findingFeed = defineEngineCollection(
  'finding_feed',
  {
    seq: number,
    at: date,
    entries: list(object<FeedEntry>()),
  },
  [{ key: { tenant_id: 1, engine: 1, seq: 1 } }, { key: { tenant_id: 1, engine: 1, at: 1 } }],
);
export type FindingFeedRow = RowOf<typeof findingFeed>;

/**
 * Where the numbers of a tenant stand; `_id` is the tenant's. Every transaction that changes findings writes it, so that two of them meet here and
 * the later one is repeated: numbers are given in the order of commits, and whoever sees one sees all before it.
 */
export const feedHeads = defineCollection('finding_feed_heads', {
  /** The last number given. */
  seq: number,
  /** The last number whose change is not kept any more; 0 while all are. */
  removed_to: number,
});

/** What the feed of changes is stored in. */
export const FEED_COLLECTIONS = [findingFeed, feedHeads] as const;
