import { codePlace } from '../../normalize/artifact.js';
import { codeItems } from '../../normalize/code-finding.js';
import { jsonFormat } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { firstSentence, wordsOf } from '../../normalize/plain-title.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { coverage } from '../../normalize/scope.js';
import {
  asObject,
  BrokenRecord,
  member,
  numberAt,
  objectAt,
  plainText,
  requireText,
  textAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';
import { eslintSeverity } from './severity.js';

const LISTS = ['$[*]', 'results[*]'];

interface EslintContext {
  place: PlaceDraft;
  /** File by the place in the list. */
  files: ReadonlyMap<number, string>;
  /** What plugins say of their rules (`--format json-with-metadata`). */
  rules: JsonObject | undefined;
  options: ImportOptions;
}

/** ESLint's JSON report, with metadata or without. One message is one record; what a comment disables stands in a list of its own. */
export const format = jsonFormat<EslintContext>({
  name: 'eslint',
  label: 'ESLint JSON',
  engines: ['secops'],
  detection: 'A JSON array, or `results`, of objects with a `filePath` and `messages`.',
  produce: 'eslint . --format json --output-file report.json',
  outsideClouds: true,
  expected: 'an ESLint report ([{"filePath": ..., "messages": [...]}])',
  roots: ['array', 'object'],
  isOfFormat: (outline) => ['[].', 'results[].'].some((at) => outline.has(`${at}filePath`) && outline.has(`${at}messages`)),
  markers: ['[].filePath', 'results'],
  records: LISTS.map((list) => `${list}.messages[*]`),
  around: [...LISTS.map((list) => `${list}.filePath`), 'metadata'],
  context: (surroundings, options) => ({
    place: codePlace({}, options),
    files: new Map(
      LISTS.flatMap((list) => surroundings.all(`${list}.filePath`)).map(({ indices, value }) => [indices[0] as number, plainText(value)]),
    ),
    rules: objectAt(asObject(surroundings.value('metadata')), 'rulesMeta'),
    options,
  }),
  covers: ({ place, options }) => [coverage('secops', place.resource_uid, 'eslint', options)],
  convert(record, { indices, position }, { place, files, rules, options }, items) {
    const file = files.get(indices[0] as number);
    if (file === undefined || file === '') throw new BrokenRecord('filePath is missing');
    const message = requireText(record, 'message');
    const ruleId = textAt(record, 'ruleId');
    // a file that cannot be parsed, and remarks on ESLint's own comments, are no findings
    if (ruleId === undefined || member(record, 'fatal') === true) return [];
    const docs = objectAt(objectAt(rules, ruleId), 'docs');
    return codeItems(
      {
        source: 'eslint',
        tool: 'ESLint',
        ruleId,
        title: firstSentence(textAt(docs, 'description') ?? message),
        message,
        description: textAt(docs, 'description') ?? wordsOf(ruleId.slice(ruleId.lastIndexOf('/') + 1)),
        severity: eslintSeverity(ruleId, numberAt(record, 'severity')),
        location: {
          file: repositoryFile(file, { artifact: options.artifact }),
          startLine: numberAt(record, 'line'),
          endLine: numberAt(record, 'endLine'),
          startColumn: numberAt(record, 'column'),
          endColumn: numberAt(record, 'endColumn'),
        },
        urls: [textAt(docs, 'url')],
        isSecret: /^no-secrets\//.test(ruleId),
        evidence: { level: numberAt(record, 'severity') === 2 ? 'error' : 'warning', node_type: textAt(record, 'nodeType') },
        place,
        position,
      },
      items,
    );
  },
});
