import { codePlace } from '../../normalize/artifact.js';
import { declaredItems } from '../../normalize/declared-finding.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { coverage } from '../../normalize/scope.js';
import { toSeverity } from '../../normalize/severity.js';
import { BrokenRecord, member, numberAt, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** What came of a check, in words, or as the number that some releases write; before version 1 whether it passed. */
const PASSED = new Set<unknown>(['passed', 'pass', 1, true]);
const IGNORED = new Set<unknown>(['ignored', 2]);

/** tfsec's JSON report. One result is one record: failed ones open, passed ones close, ignored ones give nothing. */
export const format = jsonFormat<{ options: ImportOptions }>({
  name: 'tfsec',
  label: 'tfsec JSON',
  engines: ['check'],
  detection: 'A JSON object with `results` that have a `rule_id` and a `location.filename`.',
  produce: 'tfsec . --format json --out report.json',
  outsideClouds: true,
  expected: 'a tfsec report ({"results": [{"rule_id": ..., "location": {"filename": ...}}]})',
  roots: ['object'],
  isOfFormat: (outline) =>
    (outline.has('results[].rule_id') &&
      (outline.has('results[].location.filename') || outline.has('results[].rule_provider') || outline.has('results[].legacy_rule_id'))) ||
    // what it writes when it found nothing
    (outline.get('results') === 'null' && outline.has('!') && outline.size === 3),
  markers: ['results'],
  records: ['results[*]'],
  context: (_, options) => ({ options }),
  covers: ({ options }) => [coverage('check', codePlace({}, options).resource_uid, 'tfsec', options)],
  convert(record, { position }, { options }, items) {
    const ruleId = textAt(record, 'long_id') ?? textAt(record, 'rule_id');
    if (ruleId === undefined) throw new BrokenRecord('rule_id is missing');
    const status = member(record, 'status') ?? member(record, 'passed');
    if (IGNORED.has(status)) return [];
    const location = objectAt(record, 'location');
    const description = textAt(record, 'description');
    return declaredItems(
      {
        source: 'tfsec',
        ruleId,
        title: (textAt(record, 'rule_description') ?? description ?? ruleId).replace(/\.$/, ''),
        description: textAt(record, 'impact'),
        severity: toSeverity(textAt(record, 'severity')) ?? 'medium',
        result: PASSED.has(status) ? 'PASS' : 'FAIL',
        resource: { address: addressOf(record, description), language: 'terraform' },
        file: repositoryFile(requireText(location, 'filename', 'location.filename'), { artifact: options.artifact }),
        startLine: numberAt(location, 'start_line'),
        endLine: numberAt(location, 'end_line'),
        guidance: textAt(record, 'resolution'),
        urls: [...textsAt(record, 'links'), /https?:\S+/.exec(textAt(record, 'link') ?? '')?.[0]],
        evidence: {
          message: description,
          impact: textAt(record, 'impact'),
          legacy_rule_id: textAt(record, 'legacy_rule_id'),
          cloud_service: textAt(record, 'rule_service'),
        },
        position,
      },
      options,
      items,
    );
  },
});

/** The resource of its own field, else the one that the sentence begins with: `Resource 'module.net:aws_vpc.main' ...`. */
function addressOf(record: JsonObject, description: string | undefined): string | undefined {
  return textAt(record, 'resource') ?? /^Resource '([^']{1,500})'/.exec(description ?? '')?.[1];
}
