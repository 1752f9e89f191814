import { defineCollection, defineSystemCollection, type RowOf } from '../../../kit/store/collection.js';
import { flag, number, object, text } from '../../../kit/store/fields.js';
import { DUE_FIELDS, DUE_INDEX } from '../../../kit/work/due.js';
import type { Place } from './walk.js';

/** The version of each projection that the deployment is brought to: that of the release which started last. `_id` is the projection's name. */
export const projectionVersions = defineSystemCollection('projection_versions', {
  version: text,
  /** Whether every tenant has been asked for. */
  complete: flag,
  /** Grows with each tenant that is asked for, so that two releases which start at once meet. */
  asked: number,
});

/** The stored assets of a tenant, to be read again for a projection whose version has changed; `_id` is `<tenant_id>|<projection>`. */
export const projectionRefreshes = defineCollection(
  'projection_refreshes',
  {
    ...DUE_FIELDS,
    projection: text,
    version: text,
    place: object<Place>(),
  },
  [DUE_INDEX],
);
export type ProjectionRefreshRow = RowOf<typeof projectionRefreshes>;
