import { jsonFormat, type Surroundings } from '../../normalize/json-format.js';
import { coverage } from '../../normalize/scope.js';
import { asObject, textAt, textsAt } from '../../readers/json/fields.js';
import { baseOf } from '../openapi/addresses.js';
import type { ImportOptions } from '../../types.js';
import { readCrunchIssue, type CrunchContext } from './issue.js';

const SECTIONS = ['security', 'data', 'warnings', 'semanticErrors', 'validationErrors'];

function contextOf(surroundings: Surroundings, options: ImportOptions): CrunchContext {
  const summary = asObject(surroundings.value('report.summary'));
  const pointers = surroundings.value('report.index');
  const name = textAt(summary, 'apiName') ?? 'API';
  // some versions leave out the colon of an address
  const endpoints = textsAt(summary, 'endpoints').map((address) => address.replace(/^(https?)\/\//i, '$1://'));
  return {
    base: baseOf(
      endpoints.filter((address) => /^[a-z]+:\/\/[^/]/i.test(address)),
      options.artifact ?? name,
    ),
    name,
    pointers: Array.isArray(pointers) ? pointers : [],
    describe: (item) => surroundings.near(item.path.replace(/\.issues\[\*\]$/, '.description'), item.indices, item.names),
    options,
  };
}

/** 42Crunch' audit of a description of an API. One issue at one place is one record. */
export const format = jsonFormat<CrunchContext>({
  name: 'crunch42',
  label: '42Crunch API security audit',
  engines: ['api-security'],
  detection: 'A JSON object with a `report` that has `assessmentVersion` or `openapiState`.',
  produce: '42c-ast audit run openapi.json --output report.json',
  outsideClouds: true,
  expected: 'an audit of 42Crunch ({"report": {"assessmentVersion": ..., "index": [...], "security": {"issues": ...}}})',
  roots: ['object'],
  isOfFormat: (outline) =>
    ['assessmentVersion', 'openapiState'].some((name) => outline.has(`report.${name}`)) ||
    (outline.has('taskId') && outline.has('report.index')),
  markers: ['report.assessmentVersion', 'report.openapiState', 'report.index'],
  records: SECTIONS.map((section) => `report.${section}.issues.*.issues[*]`),
  around: ['report.index', 'report.summary', ...SECTIONS.map((section) => `report.${section}.issues.*.description`)],
  context: contextOf,
  covers: ({ base, options }) => [coverage('api-security', base, 'crunch42', options)],
  convert: readCrunchIssue,
});
