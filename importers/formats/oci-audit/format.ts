import { eventFormat } from '../../events/format.js';
import { tellOciAudit } from '../../events/sources/oci-audit.js';
import { objectAt, type JsonObject } from '../../readers/json/fields.js';

/** Audit events of Oracle Cloud: as `oci audit event list` prints them, in arrays and lines, and as Logging exports them. */
export const format = eventFormat({
  name: 'oci_audit',
  label: 'Oracle Cloud audit events',
  detection: 'JSON audit events whose type begins with com.oraclecloud, in `data`, an array or lines; or wrapped in `logContent`.',
  produce:
    'oci audit event list --compartment-id OCID --start-time 2026-01-01T00:00:00Z --end-time 2026-01-02T00:00:00Z --all > audit.json',
  lists: ['data'],
  marks: [
    ['cloudEventsVersion', 'data.eventName'],
    ['cloud-events-version', 'data.event-name'],
    ['eventType', 'data.identity.principalId', 'data.eventName'],
    ['logContent.data.eventName', 'logContent.oracle!'],
    ['logContent.data.eventName', 'logContent.type'],
  ],
  tell: tellOciAudit,
  unwrap: (record: JsonObject) => objectAt(record, 'logContent') ?? record,
});
