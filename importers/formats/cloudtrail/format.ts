import { eventFormat } from '../../events/format.js';
import { tellCloudTrail } from '../../events/sources/cloudtrail.js';
import { asObject, objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';

/**
 * AWS CloudTrail: the files that a trail writes (`{"Records": [...]}`), arrays and JSON lines of records, what `aws cloudtrail lookup-events` prints,
 * and events of EventBridge.
 */
export const format = eventFormat({
  name: 'cloudtrail',
  label: 'AWS CloudTrail events',
  detection:
    'JSON records with eventVersion, eventID and awsRegion, in `Records`, an array or lines; or `Events` with CloudTrailEvent, as lookup-events prints them.',
  produce:
    "aws s3 cp --recursive s3://TRAIL-BUCKET/AWSLogs/111122223333/CloudTrail/ logs/ && zcat logs/*/*/*/*/*.gz | jq -c '.Records[]' > cloudtrail.jsonl",
  lists: ['Records', 'Events'],
  marks: [
    ['eventVersion', 'eventID', 'awsRegion'],
    ['eventVersion', 'userIdentity', 'awsRegion'],
    ['EventId', 'CloudTrailEvent'],
    ['detail.eventVersion', 'detail.eventID'],
  ],
  tell: tellCloudTrail,
  unwrap,
});

/** The record in an answer of lookup-events, where it is JSON in a text, or in an event of EventBridge. */
function unwrap(record: JsonObject): JsonObject {
  const text = textAt(record, 'CloudTrailEvent');
  return (text === undefined ? objectAt(record, 'detail') : parsed(text)) ?? record;
}

/** Text that is no JSON leaves the record as it is, which lacks then what it must have. */
function parsed(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
