import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { coverage } from '../../normalize/scope.js';
import { secretItems, SecretRanks } from '../../normalize/secret-finding.js';
import { asObject, BrokenRecord } from '../../readers/json/fields.js';
import { readJson } from '../../readers/json/records.js';
import type { ImportOptions } from '../../types.js';
import { isLogLine, truffleHogResult } from './result.js';

const RECORDS = ['$', '$[*]'];

interface TruffleHogContext {
  ranks: SecretRanks;
  options: ImportOptions;
}

/**
 * TruffleHog's results as JSON lines, or in an array: of version 3 (`--json`), of version 2 and `--json-legacy`, and of trufflehog3. One
 * result is one record; so is a line of the log that found its way into the file, which gives nothing.
 */
export const format = jsonFormat<TruffleHogContext>({
  name: 'trufflehog',
  label: 'TruffleHog JSON lines',
  engines: ['secops', 'datasec'],
  detection:
    'JSON lines or an array of objects with `SourceMetadata` and `DetectorName`, with `stringsFound` and `commitHash`, or with a `rule`, a `secret` and a `path`.',
  produce: 'trufflehog git https://github.com/acme/shop --json > report.jsonl',
  outsideClouds: true,
  expected: 'results of TruffleHog ({"SourceMetadata": ..., "DetectorName": ...}, one a line)',
  roots: ['object', 'array'],
  isOfFormat: (outline) =>
    ['', '[].'].some(
      (at) =>
        (outline.has(`${at}SourceMetadata`) &&
          (outline.has(`${at}DetectorName`) || outline.has(`${at}DetectorType`) || outline.has(`${at}SourceName`))) ||
        (outline.has(`${at}stringsFound`) && (outline.has(`${at}commitHash`) || outline.has(`${at}path`))) ||
        (outline.has(`${at}rule.id`) && outline.has(`${at}secret`) && outline.has(`${at}path`)),
    ) || outline.get('logger') === 'trufflehog',
  markers: ['SourceMetadata', 'stringsFound', 'logger', '[].SourceMetadata', '[].stringsFound', '[].secret'],
  records: RECORDS,
  async context(_, options, source) {
    const ranks = new SecretRanks();
    for await (const item of readJson(source, RECORDS)) {
      const result = item.kind === 'value' ? truffleHogResult(asObject(item.value) ?? {}, options) : undefined;
      if (result !== undefined) ranks.see(result);
    }
    return { ranks, options };
  },
  covers: ({ options }) =>
    options.artifact === undefined ? [] : [coverage('secops', codePlace({}, options).resource_uid, 'trufflehog', options)],
  convert(record, { position }, { ranks, options }, items) {
    if (isLogLine(record)) return [];
    const result = truffleHogResult(record, options);
    if (result === undefined) throw new BrokenRecord('DetectorName is missing, and so is stringsFound');
    const { line, column: _column, link, ...found } = result;
    return secretItems(
      { ...found, startLine: line, urls: [link], source: 'trufflehog', tool: 'TruffleHog', rank: ranks.rankOf(result), position },
      items,
    );
  },
});
