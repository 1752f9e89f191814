import { createHash } from 'node:crypto';
import type { Severity } from '../../schema/model.js';
import type { CheckReport, CheckResult, Suppressed } from './report.js';

const LEVEL: Readonly<Record<Severity, string>> = { critical: 'error', high: 'error', medium: 'warning', low: 'note', info: 'note' };
/** What code hosts show as the alert's severity. */
const SECURITY_SEVERITY: Readonly<Record<Severity, string>> = { critical: '9.5', high: '8.0', medium: '5.5', low: '3.0', info: '0.0' };

/** SARIF 2.1.0: one run, a rule each, a result each for what failed (and, where asked for, passed or stayed open). */
export function toSarif({ results, suppressed }: CheckReport): unknown {
  const told = [...results, ...suppressed.map(({ result }) => result)];
  const rules = [...new Map(told.map((result) => [result.rule_id, result])).values()];
  const index = new Map(rules.map(({ rule_id }, i) => [rule_id, i]));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Palisade', informationUri: 'https://github.com/palisade/palisade', rules: rules.map(sarifRule) } },
        results: [
          ...results.map((result) => sarifResult(result, index.get(result.rule_id)!)),
          ...suppressed.map((one) => ({ ...sarifResult(one.result, index.get(one.result.rule_id)!), suppressions: [suppression(one)] })),
        ],
      },
    ],
  };
}

function sarifRule({ rule_id, severity, family, texts }: CheckResult): unknown {
  const steps = texts.steps.map(({ action, detail }) => (detail === undefined ? action : `${action} ${detail}`));
  return {
    id: rule_id,
    name: family,
    shortDescription: { text: texts.title },
    fullDescription: { text: `${texts.description} ${texts.rationale}` },
    help: { text: steps.join('\n') },
    ...(texts.references[0] === undefined ? {} : { helpUri: texts.references[0].url }),
    defaultConfiguration: { level: LEVEL[severity] },
    properties: { 'security-severity': SECURITY_SEVERITY[severity], tags: ['security', family] },
  };
}

const KIND: Readonly<Record<string, string>> = { PASS: 'pass', NOT_EVALUATED: 'open' };

/** Section 3.35 of SARIF. */
const suppression = ({ kind, reason }: Suppressed): unknown => ({
  kind: kind === 'source' ? 'inSource' : 'external',
  justification: reason,
});

function sarifResult(result: CheckResult, ruleIndex: number): object {
  const { rule_id, severity, message, file, line, address, resource_type } = result;
  const kind = KIND[result.result];
  return {
    ruleId: rule_id,
    ruleIndex,
    ...(kind === undefined ? { level: LEVEL[severity] } : { kind, level: 'none' }),
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
          region: { startLine: line ?? 1 },
        },
        logicalLocations: [{ fullyQualifiedName: address, kind: 'resource' }],
      },
    ],
    partialFingerprints: {
      'palisade/v1': createHash('sha256')
        .update(JSON.stringify([rule_id, address]))
        .digest('hex')
        .slice(0, 32),
    },
    properties: { resource_type, severity },
  };
}
