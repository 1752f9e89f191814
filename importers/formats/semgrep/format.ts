import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { coverage } from '../../normalize/scope.js';
import { readPlatformDependency } from './platform.js';
import type { SemgrepContext } from './context.js';
import { readSemgrepResult } from './result.js';

/**
 * Semgrep's JSON report, of the open engine and of the platform's: code, secrets and dependencies; and the platform's list of vulnerable
 * dependencies. One result is one record.
 */
export const format = jsonFormat<SemgrepContext>({
  name: 'semgrep',
  label: 'Semgrep JSON',
  engines: ['secops', 'vulnerability'],
  detection: 'A JSON object with `results` that have a `check_id` and a `path`, or with `results`, `errors` and `paths`.',
  produce: 'semgrep scan --config auto --json --output report.json',
  outsideClouds: true,
  expected: 'a Semgrep report ({"results": [{"check_id": ..., "path": ...}], "errors": [...]})',
  roots: ['object'],
  isOfFormat: (outline) =>
    outline.has('results[].check_id') ||
    outline.has('vulns[].advisory.ruleId') ||
    (outline.has('results') && outline.has('errors') && (outline.has('paths') || outline.has('skipped_rules'))) ||
    // what early releases write when they found nothing
    (outline.has('results') && outline.has('errors') && outline.has('!') && outline.size === 4),
  markers: ['results', 'vulns'],
  records: ['results[*]', 'vulns[*]'],
  around: ['version'],
  context: (surroundings, options) => ({ place: codePlace({}, options), version: surroundings.text('version'), options }),
  covers: ({ place, options }) => [coverage('secops', place.resource_uid, 'semgrep', options)],
  convert: (record, item, context, items) =>
    item.path === 'vulns[*]' ? readPlatformDependency(record, item, context, items) : readSemgrepResult(record, item, context, items),
});
