import type { RetentionRule } from '../../../kit/engine/retention-rule.js';
import { eventRetention } from '../events/retention.js';
import { cdrDetectionEvents, cdrDetections } from './records.js';

const { setting, standard } = eventRetention;

/** Which events a detection was raised by goes with the events. */
export const detectionEventRetention: RetentionRule = {
  what: 'links from detections to events',
  setting,
  standard,
  collection: cdrDetectionEvents,
  time: 'at',
};

/** What rules have seen goes with the events by which they saw it; findings stay. */
export const detectionRetention: RetentionRule = {
  what: 'what rules have seen in events',
  setting,
  standard,
  collection: cdrDetections,
  time: 'last_at',
};
