import { codePlace } from '../../normalize/artifact.js';
import { readColumns } from '../../normalize/columns.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { coverage } from '../../normalize/scope.js';
import { secretItems, SecretRanks } from '../../normalize/secret-finding.js';
import { numberAt, textAt } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';
import { gitleaksLeak, placeOfLeak, repositoryOf } from './leak.js';

interface GitleaksContext {
  ranks: SecretRanks;
  repository: string | undefined;
  options: ImportOptions;
}

const PLACE = ['RuleID', 'Description', 'File', 'Commit', 'StartLine', 'StartColumn', 'rule', 'file', 'commit', 'lineNumber'] as const;
const LINKS = ['Link', 'leakURL', 'repoURL'] as const;

/** Gitleaks' JSON report: version 8, and 7 and before with its other names. One leak is one record. */
export const format = jsonFormat<GitleaksContext>({
  name: 'gitleaks',
  label: 'Gitleaks JSON',
  engines: ['secops'],
  detection: 'A JSON array of objects with `RuleID`, `Secret` and `File`, or with `rule`, `offender` and `lineNumber`.',
  produce: 'gitleaks dir --report-format json --report-path report.json .',
  outsideClouds: true,
  expected: 'a Gitleaks report ([{"RuleID": ..., "File": ..., "Secret": ...}])',
  roots: ['array'],
  isOfFormat: (outline) =>
    (outline.has('[].RuleID') && (outline.has('[].Secret') || outline.has('[].Match') || outline.has('[].Fingerprint'))) ||
    (outline.has('[].Secret') && outline.has('[].StartLine')) ||
    (outline.has('[].offender') && (outline.has('[].rule') || outline.has('[].lineNumber'))),
  markers: ['[].RuleID', '[].Secret', '[].offender'],
  records: ['$[*]'],
  async context(_, options, source) {
    const ranks = new SecretRanks();
    let repository: string | undefined;
    for await (const { values } of readColumns(source, ['$[*]'], [...PLACE, ...LINKS])) {
      const where = placeOfLeak(values);
      if (where !== undefined) ranks.see(where);
      repository ??= repositoryOf(values);
    }
    return { ranks, repository, options };
  },
  covers: ({ repository, options }) => [coverage('secops', codePlace({ repository }, options).resource_uid, 'gitleaks', options)],
  convert(record, { position }, { ranks, repository, options }, items) {
    const leak = gitleaksLeak(record);
    const where = { ...leak, line: leak.startLine, column: leak.startColumn };
    return secretItems(
      {
        ...leak,
        source: 'gitleaks',
        tool: 'Gitleaks',
        rank: ranks.rankOf(where),
        evidence: {
          entropy: numberAt(record, 'Entropy') ?? numberAt(record, 'offenderEntropy'),
          author: textAt(record, 'Author') ?? textAt(record, 'author'),
          committed_at: textAt(record, 'Date') ?? textAt(record, 'date'),
        },
        place: codePlace({ repository: repositoryOf(record) ?? repository }, options),
        position,
      },
      items,
    );
  },
});
