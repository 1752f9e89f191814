import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { coverage } from '../../normalize/scope.js';
import { readLegacyAdvisory } from './advisory.js';
import { readNpmPackage, type NpmAuditContext } from './package.js';

/**
 * The report of `npm audit --json`: of npm 7 and later (`auditReportVersion` 2), where a vulnerable package is a record, and of npm 6
 * and pnpm, where an advisory is one.
 */
export const format = jsonFormat<NpmAuditContext>({
  name: 'npm_audit',
  label: 'npm audit and pnpm audit JSON',
  engines: ['vulnerability'],
  detection: 'A JSON object with `auditReportVersion` and `vulnerabilities`, or with `advisories` beside `actions`, `muted` or `metadata`.',
  produce: 'npm audit --json > report.json',
  outsideClouds: true,
  expected: 'an npm audit report ({"auditReportVersion": 2, "vulnerabilities": {...}} or {"actions": [...], "advisories": {...}})',
  roots: ['object'],
  isOfFormat: (outline) =>
    (outline.has('auditReportVersion') && (outline.has('vulnerabilities') || outline.has('metadata'))) ||
    // what to do about each stands before the advisories
    outline.has('actions[].resolves') ||
    (outline.has('advisories') && (outline.has('actions') || outline.has('muted') || outline.has('metadata.vulnerabilities'))),
  markers: ['vulnerabilities', 'advisories', 'actions'],
  records: ['vulnerabilities.*', 'advisories.*'],
  context: (_, options) => ({ source: 'npm_audit', place: codePlace({}, options), options }),
  covers: ({ source, place, options }) => [coverage('vulnerability', place.resource_uid, source, options)],
  convert: (record, item, context, items) =>
    item.path === 'advisories.*' ? readLegacyAdvisory(record, item, context, items) : readNpmPackage(record, item, context, items),
});
