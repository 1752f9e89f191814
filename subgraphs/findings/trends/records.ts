import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, number, object, text } from '../../../kit/store/fields.js';

/** Findings by `severity|provider`. */
export type Tally = Record<string, number>;

/** One engine's findings at the end of a day, or when the day was looked at last. */
export interface EngineSnapshot {
  /** The version of the findings that were counted. */
  version: string;
  open: Tally;
  /** First seen on the day, resolved on it, and come back on it. */
  fresh: Tally;
  resolved: Tally;
  regressed: Tally;
  /** Milliseconds that those resolved on the day had been open, from when they were first seen or came back; absent of days that an earlier release noted. */
  openFor?: Tally;
}

/** How a tenant stood on a day (UTC); `_id` is `<tenant_id>|<day>`. */
export const postureSnapshots = defineCollection(
  'posture_snapshots',
  {
    /** `2026-01-31`. */
    day: text,
    taken_at: date,
    /** Resources of the inventory. */
    resources: number,
    /** Name of a finding engine -> its findings. */
    engines: object<Record<string, EngineSnapshot>>(),
  },
  [{ key: { tenant_id: 1, day: 1 } }],
);
export type PostureSnapshotRow = RowOf<typeof postureSnapshots>;
