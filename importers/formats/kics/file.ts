import { declaredItems } from '../../normalize/declared-finding.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { secretItems, type SecretPlace, type SecretRanks } from '../../normalize/secret-finding.js';
import { toSeverity } from '../../normalize/severity.js';
import { statedValue } from '../../normalize/stated-value.js';
import { numberAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What a file needs of its query. */
export const QUERY_MEMBERS = [
  'query_name',
  'query_id',
  'query_url',
  'severity',
  'platform',
  'cloud_provider',
  'category',
  'description',
  'cwe',
  'risk_score',
  'cis_description_id',
  'cis_description_title',
  'experimental',
];
export type KicsQuery = JsonObject;

/** What the files of a report share. */
export interface KicsContext {
  queries: ReadonlyMap<number, KicsQuery>;
  version: string | undefined;
  place: PlaceDraft;
  ranks: SecretRanks;
  options: ImportOptions;
}

/** Whether a query looks for secrets in texts, not for settings about them. */
export const isSecretQuery = (query: KicsQuery): boolean => /^passwords and secrets/i.test(textAt(query, 'query_name') ?? '');

/** Where a secret stands. Queries are named `Passwords And Secrets - AWS Access Key`. */
export const secretPlaceOf = (record: JsonObject, query: KicsQuery): SecretPlace => ({
  detector:
    (textAt(query, 'query_name') ?? '').replace(/^passwords and secrets(?: in infrastructure code)?(?: - )?/i, '') || 'secret-keyword',
  file: repositoryFile(textAt(record, 'file_name') ?? ''),
  line: numberAt(record, 'line'),
});

/** Turns one file of a query into its rule (the first time) and its observation. */
export function readKicsFile(
  record: JsonObject,
  { indices, position }: JsonValueItem,
  context: KicsContext,
  items: ReportItems,
): ImportItem[] {
  const query = context.queries.get(indices[0] as number) ?? {};
  const ruleId = requireText(query, 'query_id');
  const title = textAt(query, 'query_name') ?? ruleId;
  const fileName = requireText(record, 'file_name');
  const word = textAt(query, 'severity');
  const severity = word?.toLowerCase() === 'trace' ? 'info' : (toSeverity(word) ?? 'medium');
  const line = numberAt(record, 'line');
  if (isSecretQuery(query)) {
    const where = secretPlaceOf(record, query);
    return secretItems(
      {
        source: 'kics',
        tool: 'KICS',
        detector: where.detector,
        description: textAt(query, 'description'),
        severity,
        file: where.file,
        startLine: line,
        endLine: line,
        urls: [textAt(query, 'query_url')],
        evidence: { query_id: ruleId },
        rank: context.ranks.rankOf(where),
        // the values show what was found, and not every release masks it
        secrets: [],
        place: context.place,
        position,
      },
      items,
    );
  }
  const about = [title, textAt(record, 'search_key'), textAt(record, 'expected_value')];
  const expected = statedValue(textAt(record, 'expected_value'), about);
  const cwe = textAt(query, 'cwe');
  const platform = textAt(query, 'platform');
  const cis = textAt(query, 'cis_description_id');
  return declaredItems(
    {
      source: 'kics',
      ruleId,
      title,
      description: textAt(query, 'description'),
      severity,
      result: 'FAIL',
      resource: { address: addressOf(record, platform), language: platform },
      file: repositoryFile(fileName, { artifact: context.options.artifact }),
      startLine: line,
      endLine: line,
      fingerprint: textAt(record, 'similarity_id') ?? textAt(record, 'search_key'),
      seen: textAt(record, 'actual_value'),
      guidance: guidanceOf(record, expected),
      urls: [textAt(query, 'query_url')],
      cwes: cwe === undefined ? [] : [/^\d+$/.test(cwe) ? `CWE-${cwe}` : cwe],
      controls: cis === undefined ? [] : [{ framework: 'CIS', control_id: cis }],
      evidence: {
        framework: platform,
        category: textAt(query, 'category'),
        issue_type: textAt(record, 'issue_type'),
        search_key: textAt(record, 'search_key'),
        expected,
        actual: statedValue(textAt(record, 'actual_value'), about),
        risk_score: numberAt(query, 'risk_score'),
        tool_version: context.version,
      },
      position,
    },
    context.options,
    items,
  );
}

/** A remediation is code to put in the place; else what was expected says what to do. */
function guidanceOf(record: JsonObject, expected: string | undefined): string | undefined {
  const remediation = textAt(record, 'remediation');
  return remediation === undefined ? expected : `${expected === undefined ? '' : `${expected}: `}${remediation}`;
}

/** The address in the form of the language, out of where the query looked: `aws_s3_bucket[logs].acl`, `Resources.Logs.Properties`. */
function addressOf(record: JsonObject, platform: string | undefined): string | undefined {
  const key = textAt(record, 'search_key') ?? '';
  const [type, name] = [textAt(record, 'resource_type'), textAt(record, 'resource_name')];
  if (/terraform/i.test(platform ?? '')) {
    const [, block, label] = /^(?:resource\.)?([a-z][a-z0-9]*_\w+)[[.](?:\{\{)?([\w-]+)(?:\}\})?/.exec(key) ?? [];
    return block === undefined || label === undefined ? undefined : `${block}.${label}`;
  }
  if (/cloudformation/i.test(platform ?? '')) {
    const label = /^Resources\.(?:\{\{)?([\w-]+)/.exec(key)?.[1] ?? name;
    return type === undefined || label === undefined ? undefined : `${type}.${label}`;
  }
  if (/kubernetes|helm/i.test(platform ?? '') && type !== undefined && name !== undefined) return `${type}.default.${name}`;
  return /resource ?manager|bicep/i.test(platform ?? '') && type !== undefined ? `${type}.${name ?? ''}` : undefined;
}
