import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { coverage } from '../../normalize/scope.js';
import { objectAt, requireObject, textAt } from '../../readers/json/fields.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import { BrokenRecord } from '../../readers/record.js';
import { readLegacyAdvisory } from '../npm-audit/advisory.js';
import type { NpmAuditContext } from '../npm-audit/package.js';
import { readYarnIssue } from './issue.js';

const PLACES = ['', '[].'];

/** A line of Yarn 1 has a type; one of Yarn 4 is a tree of a package and its issue. */
const isLine = (outline: JsonOutline, at: string): boolean =>
  (outline.has(`${at}type`) &&
    (outline.has(`${at}data.advisory`) || outline.has(`${at}data.vulnerabilities`) || outline.has(`${at}data.resolution`))) ||
  (outline.has(`${at}value`) && outline.has(`${at}children.Issue`));

/**
 * What `yarn audit --json` (Yarn 1) and `yarn npm audit --json` (Yarn 4) print, a line a record: an advisory, or what else Yarn has to say,
 * which gives nothing. Yarn 2 and 3 print the report of npm 6.
 */
export const format = jsonFormat<NpmAuditContext>({
  name: 'yarn_audit',
  label: 'Yarn audit (JSON lines)',
  engines: ['vulnerability'],
  detection: 'JSON lines with a `type` and `data` of an `advisory` (Yarn 1), or with a `value` and `children` of an `Issue` (Yarn 4).',
  produce: 'yarn npm audit --recursive --json > report.jsonl',
  outsideClouds: true,
  expected: 'lines of yarn audit ({"type": "auditAdvisory", "data": ...} or {"value": ..., "children": ...})',
  roots: ['object', 'array'],
  isOfFormat: (outline) => PLACES.some((at) => isLine(outline, at)),
  markers: PLACES.flatMap((at) => [`${at}data.advisory`, `${at}data.vulnerabilities`, `${at}children.Issue`]),
  records: ['$', '$[*]'],
  context: (_, options) => ({ source: 'yarn_audit', place: codePlace({}, options), options }),
  covers: ({ source, place, options }) => [coverage('vulnerability', place.resource_uid, source, options)],
  convert(record, item, context, items) {
    if (objectAt(record, 'children') !== undefined) return readYarnIssue(record, item, context, items);
    const type = textAt(record, 'type');
    if (type === 'auditAdvisory') return readLegacyAdvisory(requireObject(objectAt(record, 'data'), 'advisory'), item, context, items);
    if (type === 'error') throw new BrokenRecord(`yarn reports an error: ${textAt(record, 'data') ?? 'of which it says nothing'}`);
    if (type === undefined) throw new BrokenRecord('the line has neither a type nor children');
    return [];
  },
});
