import { defineSystemCollection } from '../../../kit/store/collection.js';
import { object } from '../../../kit/store/fields.js';

/** By which versions of the rules stored events were judged last: one row, of the release that looked last. */
export const detectionVersions = defineSystemCollection('detection_versions', { versions: object<Record<string, string>>() });
export const VERSIONS_ROW = 'rules';
