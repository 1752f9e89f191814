import { jsonFormat } from '../../normalize/json-format.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import { readObject } from './indicator.js';

const isBundle = (outline: JsonOutline): boolean =>
  outline.get('type') === 'bundle' ||
  (/^bundle--/.test(outline.get('id') ?? '') && outline.has('objects')) ||
  /^[a-z-]+--[0-9a-f-]{36}$/.test(outline.get('objects[].id') ?? '');

/** Bundles of STIX 2.0 and 2.1: what is known of adversaries. One object is one record; indicators are taken, other objects give nothing. */
export const format = jsonFormat<null>({
  name: 'stix',
  label: 'STIX 2.1 bundle of indicators',
  engines: ['threat'],
  detection: 'A JSON object with `type` `bundle`, or an `id` that begins with bundle--, and `objects`.',
  produce: `curl -s -H 'Accept: application/taxii+json;version=2.1' https://taxii.example.com/api1/collections/COLLECTION-ID/objects/ | jq '{type: "bundle", id: "bundle--00000000-0000-4000-8000-000000000000"} + .' > indicators.json`,
  expected: 'a bundle of STIX ({"type": "bundle", "id": "bundle--...", "objects": [...]})',
  roots: ['object'],
  isOfFormat: isBundle,
  markers: ['objects'],
  records: ['objects[*]'],
  context: () => null,
  // a feed tells what is known, and nothing of what is not
  covers: () => [],
  convert: (record, { position }) => readObject(record, position),
});
