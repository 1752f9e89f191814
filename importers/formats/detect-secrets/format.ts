import { codePlace } from '../../normalize/artifact.js';
import { readColumns } from '../../normalize/columns.js';
import { jsonFormat } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { timeAt } from '../../normalize/report-time.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { coverage } from '../../normalize/scope.js';
import { secretItems, SecretRanks, type SecretPlace } from '../../normalize/secret-finding.js';
import { member, numberAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

const RESULTS = 'results.*[*]';

/** The file stands above its secrets; since version 1 each names it as well. */
const whereOf = (record: JsonObject, detector: string, [file = '']: readonly string[]): SecretPlace => ({
  detector,
  file: repositoryFile(textAt(record, 'filename') ?? file),
  line: numberAt(record, 'line_number'),
});

/**
 * A baseline of detect-secrets, any version. One secret is one record; what was audited as no secret (`is_secret` false) gives nothing.
 * `hashed_secret` is a plain SHA-1 of the secret, by which a weak one is found in no time: it is read nowhere.
 */
export const format = jsonFormat<{ place: PlaceDraft; ranks: SecretRanks; options: ImportOptions }>({
  name: 'detect_secrets',
  label: 'detect-secrets baseline',
  engines: ['secops'],
  detection: 'A JSON object with `plugins_used` and `results` by file.',
  produce: 'detect-secrets scan > .secrets.baseline',
  outsideClouds: true,
  observedAt: timeAt('generated_at'),
  expected: 'a baseline of detect-secrets ({"plugins_used": [...], "results": {"file": [...]}})',
  roots: ['object'],
  isOfFormat: (outline) =>
    outline.has('plugins_used') && (outline.has('results') || outline.has('generated_at') || outline.has('filters_used')),
  markers: ['plugins_used'],
  records: [RESULTS],
  async context(_, options, source) {
    const ranks = new SecretRanks();
    for await (const { names, values } of readColumns(source, [RESULTS], ['type', 'filename', 'line_number'])) {
      const detector = textAt(values, 'type');
      if (detector !== undefined) ranks.see(whereOf(values, detector, names));
    }
    return { place: codePlace({}, options), ranks, options };
  },
  covers: ({ place, options }) => [coverage('secops', place.resource_uid, 'detect_secrets', options)],
  convert(record, { names, position }, { place, ranks }, items) {
    const where = whereOf(record, requireText(record, 'type'), names);
    if (member(record, 'is_secret') === false) return [];
    return secretItems(
      {
        source: 'detect_secrets',
        tool: 'detect-secrets',
        detector: where.detector,
        verified: member(record, 'is_verified') === true ? true : undefined,
        file: where.file,
        startLine: where.line,
        endLine: where.line,
        rank: ranks.rankOf(where),
        secrets: [textAt(record, 'hashed_secret')],
        place,
        position,
      },
      items,
    );
  },
});
