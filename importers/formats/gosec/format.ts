import { codePlace } from '../../normalize/artifact.js';
import { codeItems } from '../../normalize/code-finding.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { linesOf } from '../../normalize/numbered-lines.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { firstSentence } from '../../normalize/plain-title.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { coverage } from '../../normalize/scope.js';
import { toSeverity } from '../../normalize/severity.js';
import { member, objectAt, objectsAt, requireText, textAt } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** The rule for hard-coded credentials. */
const CREDENTIALS = 'G101';

/** gosec's JSON report. One issue is one record; what `nosec` or a suppression covers gives nothing. */
export const format = jsonFormat<{ place: PlaceDraft; version: string | undefined; options: ImportOptions }>({
  name: 'gosec',
  label: 'gosec JSON',
  engines: ['secops'],
  detection: 'A JSON object with `Golang errors`, or with `Issues` that have a `rule_id` and `details`.',
  produce: 'gosec -fmt json -out report.json ./...',
  outsideClouds: true,
  expected: 'a gosec report ({"Golang errors": {}, "Issues": [...], "Stats": ...})',
  roots: ['object'],
  isOfFormat: (outline) =>
    (outline.has('Golang errors') && outline.has('Issues')) ||
    ((outline.has('Issues[].rule_id') || outline.has('Issues[].rule')) && outline.has('Issues[].details')),
  markers: ['Issues', 'Golang errors'],
  records: ['Issues[*]'],
  around: ['GosecVersion'],
  context: (surroundings, options) => ({ place: codePlace({}, options), version: surroundings.text('GosecVersion'), options }),
  covers: ({ place, options }) => [coverage('secops', place.resource_uid, 'gosec', options)],
  convert(record, { position }, { place, version, options }, items) {
    // releases before 2.0 called it a rule
    const ruleId = textAt(record, 'rule_id') ?? requireText(record, 'rule', 'rule_id');
    const details = requireText(record, 'details');
    const file = requireText(record, 'file');
    if (member(record, 'nosec') === true || member(record, 'nosec') === 'true' || objectsAt(record, 'suppressions').length > 0) return [];
    const cwe = objectAt(record, 'cwe');
    const cweId = textAt(cwe, 'id') ?? textAt(cwe, 'ID');
    // one line, or `12-14`
    const [first, last = first] = (textAt(record, 'line') ?? '')
      .split('-')
      .map(Number)
      .filter((line) => line > 0);
    return codeItems(
      {
        source: 'gosec',
        tool: 'gosec',
        toolVersion: version,
        ruleId,
        title: firstSentence(details),
        message: details,
        severity: toSeverity(textAt(record, 'severity')) ?? 'info',
        location: {
          file: repositoryFile(file, { artifact: options.artifact }),
          startLine: first,
          endLine: last,
          startColumn: Number(textAt(record, 'column')) || undefined,
        },
        snippet: linesOf(textAt(record, 'code'), first, last),
        cwes: cweId === undefined ? [] : [`CWE-${cweId}`],
        urls: [textAt(cwe, 'url') ?? textAt(cwe, 'URL')],
        guidance: textAt(record, 'autofix'),
        isSecret: ruleId === CREDENTIALS,
        evidence: { confidence: textAt(record, 'confidence') },
        place,
        position,
      },
      items,
    );
  },
});
