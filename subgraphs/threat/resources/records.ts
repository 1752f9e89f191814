import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, nullable, text, textOf } from '../../../kit/store/fields.js';
import { digestOf } from '../../../kit/store/row-id.js';
import type { Provider } from '../../../schema/model.js';
import type { Observable, ObservableKind } from '../../../schema/observables.js';

/**
 * That reports show, of a resource, a value that indicators may name: the digest of an image, of a file on a host, of what an alert saw run. `_id` is
 * `<tenant>|<digest of resource and value>`. Kept as long as events are, from when it was shown last.
 */
export const threatShown = defineCollection(
  'threat_shown',
  {
    kind: textOf<ObservableKind>(),
    value: text,
    resource_uid: text,
    resource_type: text,
    resource_name: nullable(text),
    provider: textOf<Provider>(),
    account_id: nullable(text),
    region: text,
    /** What shows it: `inventory:<format>`, `components:<kind of document>`, `report:<tool>`, `alert:<tool>`. None once nothing tells of it any more. */
    shown_by: list(text),
    first_at: date,
    last_at: date,
    /** The run that has changed what is shown last. */
    scan_run_id: text,
  },
  [{ key: { tenant_id: 1, scan_run_id: 1 } }, { key: { tenant_id: 1, resource_uid: 1 } }, { key: { tenant_id: 1, last_at: 1 } }],
);
export type ShownRow = RowOf<typeof threatShown>;

/** What those begin with that tell of their own time alone. */
export const ALERT = 'alert:';

export const shownRowId = (tenantId: string, resourceUid: string, { kind, value }: Observable): string =>
  `${tenantId}|${digestOf([resourceUid, kind, value])}`;
