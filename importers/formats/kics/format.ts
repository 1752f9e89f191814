import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat, type Surroundings } from '../../normalize/json-format.js';
import { timeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { SecretRanks } from '../../normalize/secret-finding.js';
import type { ImportOptions } from '../../types.js';
import { isSecretQuery, QUERY_MEMBERS, readKicsFile, secretPlaceOf, type KicsContext, type KicsQuery } from './file.js';
import { asObject } from '../../readers/json/fields.js';
import { readJson } from '../../readers/json/records.js';
import type { ReportSource } from '../../types.js';

const FILES = 'queries[*].files[*]';

async function contextOf(surroundings: Surroundings, options: ImportOptions, source: ReportSource): Promise<KicsContext> {
  const queries = new Map<number, KicsQuery>();
  for (const member of QUERY_MEMBERS)
    for (const { indices, value } of surroundings.all(`queries[*].${member}`)) {
      const index = indices[0] as number;
      queries.set(index, { ...queries.get(index), [member]: value });
    }
  const ranks = new SecretRanks();
  if ([...queries.values()].some(isSecretQuery))
    for await (const item of readJson(source, [FILES]))
      if (item.kind === 'value' && isSecretQuery(queries.get(item.indices[0] as number) ?? {}))
        ranks.see(secretPlaceOf(asObject(item.value) ?? {}, queries.get(item.indices[0] as number) ?? {}));
  return { queries, version: surroundings.text('kics_version'), place: codePlace({}, options), ranks, options };
}

/** KICS' JSON report. One file of one query is one record. */
export const format = jsonFormat<KicsContext>({
  name: 'kics',
  label: 'KICS JSON',
  engines: ['check', 'secops'],
  detection: 'A JSON object with `kics_version` or `queries_total`, or with `queries` that have a `query_id` and `files`.',
  produce: 'kics scan --path . --report-formats json --output-path report',
  outsideClouds: true,
  observedAt: timeAt('end', 'start'),
  expected: 'a KICS report ({"kics_version": ..., "queries": [{"query_id": ..., "files": [...]}]})',
  roots: ['object'],
  isOfFormat: (outline) =>
    outline.has('kics_version') ||
    (outline.has('queries_total') && (outline.has('files_scanned') || outline.has('queries'))) ||
    (outline.has('queries[].query_id') && outline.has('queries[].files')),
  markers: ['queries', 'kics_version', 'queries_total'],
  records: [FILES],
  around: ['kics_version', ...QUERY_MEMBERS.map((member) => `queries[*].${member}`)],
  context: contextOf,
  covers: ({ place, options }) => ['check', 'secops'].map((engine) => coverage(engine, place.resource_uid, 'kics', options)),
  convert: readKicsFile,
});
