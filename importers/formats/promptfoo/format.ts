import { jsonFormat } from '../../normalize/json-format.js';
import { inferProvider } from '../../normalize/observation.js';
import { timeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { readPromptfooResult, type PromptfooContext } from './result.js';

/**
 * promptfoo's JSON output of an evaluation or a red-team run (`results` of version 2 and 3). One test of one prompt with one provider is
 * one record: failed ones open, passed ones close, and those that ended in an error tell nothing.
 */
export const format = jsonFormat<PromptfooContext>({
  name: 'promptfoo',
  label: 'promptfoo JSON',
  engines: ['ai-security'],
  detection: 'A JSON object with `evalId` and `results`, or with `results.results` beside `prompts`, `stats` or `table`.',
  produce: 'promptfoo eval --output report.json',
  outsideClouds: true,
  observedAt: timeAt('results.timestamp', 'metadata.evaluationCreatedAt'),
  expected: 'an output of promptfoo ({"evalId": ..., "results": {"results": [...], "stats": ...}})',
  roots: ['object'],
  isOfFormat: (outline) =>
    (outline.has('evalId') && outline.has('results')) ||
    (outline.has('results.results') &&
      ['results.prompts', 'results.stats', 'results.table', 'results.results[].gradingResult', 'results.results[].promptIdx'].some((path) =>
        outline.has(path),
      )),
  markers: ['results', 'evalId'],
  records: ['results.results[*]'],
  around: ['results.prompts[*].provider'],
  context: (surroundings, options) => ({
    targets: [...new Set(surroundings.all('results.prompts[*].provider').flatMap(({ value }) => (typeof value === 'string' ? value : [])))],
    inferred: inferProvider(undefined, options),
    options,
  }),
  covers: ({ targets, options }) =>
    (options.artifact === undefined ? targets : [options.artifact]).map((target) => coverage('ai-security', target, 'promptfoo', options)),
  convert: readPromptfooResult,
});
