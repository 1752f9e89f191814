import type { Exposure, Hop, PortRange } from '../../../catalog/network/types.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, number, object, text, textOf } from '../../../kit/store/fields.js';
import { RESOURCE_FIELDS } from '../../../kit/engine/resource-fields.js';

/** What the internet reaches, worst first. */
export const RANKS: Readonly<Record<Exposure['exposure'], number>> = { public: 3, restricted: 2, unknown: 1, private: 0 };

const WORST_FIRST = { rank: -1, resource_uid: 1 } as const;
const FILTERED = ['provider', 'account_id', 'region', 'resource_type'] as const;

/** What of a resource the internet reaches; `_id` is `<tenant_id>|<digest of resource_uid>`. */
export const networkExposures = defineCollection(
  'network_exposures',
  {
    ...RESOURCE_FIELDS,
    exposure: textOf<Exposure['exposure']>(),
    rank: number,
    ports: list(object<PortRange>()),
    sources: list(text),
    path: list(object<Hop>()),
    /** Of all that the row says: when it is the same, the row is. */
    digest: text,
    changed_at: date,
  },
  [
    { key: { tenant_id: 1, ...WORST_FIRST } },
    { key: { tenant_id: 1, resource_uid: 1 } },
    ...FILTERED.map((name) => ({ key: { tenant_id: 1, [name]: 1, ...WORST_FIRST } as const })),
  ],
);
export type NetworkExposureRow = RowOf<typeof networkExposures>;
