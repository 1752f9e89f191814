import { READERS, type Reader } from '../../../kit/findings/readers.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, object, text, textOf } from '../../../kit/store/fields.js';
import type { Severity } from '../../../schema/model.js';

/** By what the overview is told, and the whole of it. */
export const GROUPINGS = ['application', 'account', 'namespace'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export type Counts = Readonly<Record<Severity, number>>;

/**
 * Open findings of a group of resources, as the last run left them; `_id` is `<tenant_id>|<digest of grouping and value>`.
 * `value` is empty for what stands in none, and in the row of all.
 */
export const cnappGroups = defineCollection(
  'cnapp_groups',
  {
    grouping: textOf<Grouping | 'all'>(),
    value: text,
    /** Resources with open findings. */
    assets: object<Readonly<Record<Reader, number>>>(),
    /** Engine -> its open findings. */
    open: object<Readonly<Record<string, Counts>>>(),
    /** What lists are ordered by: how much the findings weigh that each role reads. */
    weight: object<Readonly<Record<Reader, number>>>(),
    digest: text,
    counted_at: date,
  },
  [
    { key: { tenant_id: 1, grouping: 1, value: 1 } },
    ...READERS.map((reader) => ({ key: { tenant_id: 1, grouping: 1, [`weight.${reader}`]: -1, value: 1 } as const })),
  ],
);
export type CnappGroupRow = RowOf<typeof cnappGroups>;
