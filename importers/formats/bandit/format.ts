import { codePlace } from '../../normalize/artifact.js';
import { codeItems } from '../../normalize/code-finding.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { alsoYaml } from '../../normalize/yaml-format.js';
import { linesOf } from '../../normalize/numbered-lines.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { firstSentence } from '../../normalize/plain-title.js';
import { timeAt } from '../../normalize/report-time.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { coverage } from '../../normalize/scope.js';
import { toSeverity } from '../../normalize/severity.js';
import { listAt, numberAt, objectAt, requireText, textAt } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** The tests for hard-coded passwords: their messages quote what they found. */
const PASSWORD_TESTS = new Set(['B105', 'B106', 'B107']);

/** Bandit's JSON report. One result is one record; lines marked `nosec` are not reported by the tool. */
const json = jsonFormat<{ place: PlaceDraft; options: ImportOptions }>({
  name: 'bandit',
  label: 'Bandit JSON or YAML',
  engines: ['secops'],
  detection: 'A JSON object with `results` that have a `test_id` and an `issue_severity`, or with `results`, `metrics` and `generated_at`.',
  produce: 'bandit --recursive . --format json --output report.json',
  outsideClouds: true,
  observedAt: timeAt('generated_at'),
  expected: 'a Bandit report ({"results": [{"test_id": ..., "issue_severity": ...}], "metrics": ...})',
  roots: ['object'],
  isOfFormat: (outline) =>
    (outline.has('results[].test_id') && (outline.has('results[].issue_severity') || outline.has('results[].issue_text'))) ||
    (outline.has('results') && outline.has('metrics._totals') && outline.has('generated_at')) ||
    outline.has('metrics._totals.SEVERITY.HIGH'),
  markers: ['results'],
  records: ['results[*]'],
  context: (_, options) => ({ place: codePlace({}, options), options }),
  covers: ({ place, options }) => [coverage('secops', place.resource_uid, 'bandit', options)],
  convert(record, { position }, { place, options }, items) {
    const testId = requireText(record, 'test_id');
    const text = requireText(record, 'issue_text');
    const isSecret = PASSWORD_TESTS.has(testId);
    const line = numberAt(record, 'line_number');
    const range = listAt(record, 'line_range').filter((one) => typeof one === 'number');
    const title = firstSentence(isSecret ? text.replace(/:\s*['"].*$/s, '') : text);
    const cwe = textAt(objectAt(record, 'issue_cwe'), 'id');
    return codeItems(
      {
        source: 'bandit',
        tool: 'Bandit',
        ruleId: testId,
        title,
        message: text,
        severity: toSeverity(textAt(record, 'issue_severity')) ?? 'info',
        location: {
          file: repositoryFile(requireText(record, 'filename'), { artifact: options.artifact }),
          startLine: line,
          endLine: range.at(-1) ?? line,
          startColumn: columnOf(numberAt(record, 'col_offset')),
          endColumn: columnOf(numberAt(record, 'end_col_offset')),
        },
        snippet: linesOf(textAt(record, 'code'), range[0] ?? line, range.at(-1) ?? line),
        cwes: cwe === undefined ? [] : [`CWE-${cwe}`],
        urls: [textAt(record, 'more_info'), textAt(objectAt(record, 'issue_cwe'), 'link')],
        isSecret,
        evidence: { test_name: textAt(record, 'test_name'), confidence: textAt(record, 'issue_confidence') },
        place,
        position,
      },
      items,
    );
  },
});

/** What it writes as JSON, and as YAML. */
export const format = alsoYaml(json, /^metrics:[ \t]*\r?\n[ \t]+_totals:/m);

/** Bandit counts columns from 0. */
const columnOf = (offset: number | undefined): number | undefined => (offset === undefined || offset < 0 ? undefined : offset + 1);
