import { eventFormat } from '../../events/format.js';
import { tellActionTrail } from '../../events/sources/actiontrail.js';
import { objectAt, type JsonObject } from '../../readers/json/fields.js';

/** Alibaba Cloud ActionTrail: what `aliyun actiontrail LookupEvents` prints, and the files and lines that a trail delivers. */
export const format = eventFormat({
  name: 'alicloud_actiontrail',
  label: 'Alibaba Cloud ActionTrail events',
  detection: 'JSON records with eventId, eventName and acsRegion, in `Events`, an array or lines.',
  produce: 'aliyun actiontrail LookupEvents --StartTime 2026-01-01T00:00:00Z --EndTime 2026-01-08T00:00:00Z > actiontrail.json',
  lists: ['Events'],
  marks: [
    ['eventId', 'acsRegion', 'eventName'],
    ['eventId', 'userIdentity.type', 'serviceName'],
    ['event.eventId', 'event.acsRegion'],
  ],
  tell: tellActionTrail,
  // the log service wraps it
  unwrap: (record: JsonObject) => objectAt(record, 'event') ?? record,
});
