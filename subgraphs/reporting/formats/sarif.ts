import { isoOf, listOf, numberOf, recordOf, textOf, type ExportFormat, type Row } from './format.js';

const LEVELS: Readonly<Record<string, string>> = { critical: 'error', high: 'error', medium: 'warning', low: 'note', info: 'note' };
/** What code scanning sorts by where a rule has no CVSS of its own. */
const SCORES: Readonly<Record<string, string>> = { critical: '9.5', high: '8.0', medium: '5.5', low: '3.0', info: '0.0' };
/** Rules that are described; results name theirs in any case. */
const MOST_RULES = 20_000;

/** Where in a file a finding is, as far as its evidence says so. */
function physicalLocation({ file, file_path, path, line, start_line, end_line }: Row): Record<string, unknown> | null {
  const uri = textOf(file) ?? textOf(file_path) ?? textOf(path);
  if (uri === null) return null;
  const startLine = numberOf(line) ?? numberOf(start_line);
  const endLine = numberOf(end_line);
  const region =
    startLine !== null && startLine >= 1 ? { region: { startLine, ...(endLine !== null && endLine >= startLine && { endLine }) } } : {};
  return { artifactLocation: { uri: encodeURI(uri.replaceAll('\\', '/')) }, ...region };
}

function resultOf(row: Row): Record<string, unknown> {
  const isOver = row['status'] === 'RESOLVED';
  const isAccepted = row['status'] === 'SUPPRESSED' || row['status'] === 'FALSE_POSITIVE';
  const place = physicalLocation(recordOf(row['evidence']));
  return {
    ruleId: row['rule_id'],
    ...(isOver ? { kind: 'pass', level: 'none' } : { kind: 'fail', level: LEVELS[String(row['severity'])] ?? 'warning' }),
    message: { text: row['title'] },
    locations: [
      {
        ...(place && { physicalLocation: place }),
        logicalLocations: [
          { fullyQualifiedName: row['resource_uid'], name: row['resource_name'] ?? row['resource_uid'], kind: 'resource' },
        ],
      },
    ],
    partialFingerprints: { 'palisadeFindingId/v1': row['finding_id'] },
    ...(isAccepted && { suppressions: [{ kind: 'external', status: 'accepted' }] }),
    rank: row['risk_score'],
    properties: {
      ...{
        engine: row['engine'],
        status: row['status'],
        severity: row['severity'],
        provider: row['provider'],
        account_id: row['account_id'],
      },
      ...{ region: row['region'], resource_type: row['resource_type'], cve: row['cve'] ?? null, assignee: row['assignee'] ?? null },
      ...{ first_seen_at: isoOf(row['first_seen_at']), last_seen_at: isoOf(row['last_seen_at']), due_at: isoOf(row['due_at']) },
    },
  };
}

function ruleOf(row: Row): Record<string, unknown> {
  const help = textOf(recordOf(row['remediation'])['guidance']);
  const url = listOf(row['references']).flatMap((one) => textOf(recordOf(one)['url']) ?? [])[0];
  const cvss = numberOf(row['cvss']);
  return {
    id: row['rule_id'],
    shortDescription: { text: row['title'] },
    ...(textOf(row['description']) && { fullDescription: { text: row['description'] } }),
    ...(help && { help: { text: help } }),
    ...(url && /^https?:/.test(url) && { helpUri: encodeURI(decodeSafely(url)) }),
    properties: { 'security-severity': cvss === null ? (SCORES[String(row['severity'])] ?? '5.5') : cvss.toFixed(1), tags: ['security'] },
  };
}

function decodeSafely(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

/** SARIF 2.1.0 (OASIS): one run with a result a finding, its rules behind them. */
export const sarif: ExportFormat = {
  name: 'sarif',
  label: 'SARIF',
  media_type: 'application/sarif+json; charset=utf-8',
  extension: 'sarif',
  subjects: ['findings'],
  whole: true,
  async *write({ rows }) {
    const rules = new Map<string, Record<string, unknown>>();
    yield '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[';
    let isFirst = true;
    for await (const batch of rows) {
      let text = '';
      for (const row of batch) {
        const id = String(row['rule_id']);
        if (!rules.has(id) && rules.size < MOST_RULES) rules.set(id, ruleOf(row));
        text += `${isFirst ? '' : ','}\n${JSON.stringify(resultOf(row))}`;
        isFirst = false;
      }
      if (text !== '') yield text;
    }
    yield '],"tool":{"driver":{"name":"Palisade","rules":[';
    let before = '';
    for (const rule of rules.values()) {
      yield `${before}\n${JSON.stringify(rule)}`;
      before = ',';
    }
    yield ']}}}]}\n';
  },
};
