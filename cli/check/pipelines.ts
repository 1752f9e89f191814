import { createHash } from 'node:crypto';
import type { Severity } from '../../schema/model.js';
import { failuresBySeverity, severityRank, summaryOf, type CheckReport, type CheckResult } from './report.js';

const failures = ({ results }: CheckReport): CheckResult[] => results.filter(({ result }) => result === 'FAIL');
const placeOf = ({ file, line }: CheckResult): string => (line === undefined ? file : `${file}:${line}`);

const xml = (text: string): string =>
  text
    // what XML 1.0 has no form for
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');

/** JUnit: a suite a file, a case a result. */
export function toJUnit(report: CheckReport): string {
  const suites = new Map<string, CheckResult[]>();
  for (const { file } of report.files) suites.set(file, []);
  for (const result of report.results) suites.set(result.file, [...(suites.get(result.file) ?? []), result]);
  const lines = [...suites].map(([file, results]) => {
    const count = (verdict: string): number => results.filter(({ result }) => result === verdict).length;
    const head = `<testsuite name="${xml(file)}" tests="${results.length}" failures="${count('FAIL')}" errors="0" skipped="${count('NOT_EVALUATED')}">`;
    return [head, ...results.map(testCase), '</testsuite>'].join('\n');
  });
  const all = report.results;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="palisade check" tests="${all.length}" failures="${failures(report).length}" errors="0">`,
    ...lines,
    '</testsuites>\n',
  ].join('\n');
}

function testCase(result: CheckResult): string {
  const { rule_id, address, message, severity, file, texts } = result;
  const head = `<testcase classname="${xml(address)}" name="${xml(rule_id)}" file="${xml(file)}"`;
  if (result.result === 'PASS') return `${head}/>`;
  if (result.result === 'NOT_EVALUATED') return `${head}><skipped message="${xml(message)}"/></testcase>`;
  const body = `${placeOf(result)}\n${texts.title}\n${texts.steps.map(({ action }) => action).join('\n')}`;
  return `${head}><failure type="${severity}" message="${xml(message)}">${xml(body)}</failure></testcase>`;
}

const GITHUB: Readonly<Record<Severity, string>> = { critical: 'error', high: 'error', medium: 'warning', low: 'notice', info: 'notice' };
const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Workflow commands that GitHub shows beside the lines. */
export function toGitHub(report: CheckReport): string {
  const lines = [...failures(report)]
    .sort((one, other) => severityRank(one) - severityRank(other))
    .map(({ severity, file, line, rule_id, address, message }) => {
      const place = `file=${property(file)}${line === undefined ? '' : `,line=${line}`},title=${property(rule_id)}`;
      return `::${GITHUB[severity]} ${place}::${escaped(`${address}: ${message}`)}`;
    });
  return `${[...lines, summaryOf(report)].join('\n')}\n`;
}

const GITLAB: Readonly<Record<Severity, string>> = { critical: 'blocker', high: 'critical', medium: 'major', low: 'minor', info: 'info' };

/** GitLab's code quality report, a list of issues. */
export function toGitLab(report: CheckReport): unknown {
  return failures(report).map(({ rule_id, address, file, line, message, severity }) => ({
    description: `${address}: ${message}`,
    check_name: rule_id,
    fingerprint: createHash('sha256')
      .update(JSON.stringify([rule_id, file, address]))
      .digest('hex')
      .slice(0, 32),
    severity: GITLAB[severity],
    location: { path: file, lines: { begin: line ?? 1 } },
  }));
}

const MAX_ROWS = 500;
const cell = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ');

/** A summary for the page of a pull request or a pipeline. */
export function toMarkdown(report: CheckReport): string {
  const failed = [...failures(report)].sort((one, other) => severityRank(one) - severityRank(other));
  const rows = failed
    .slice(0, MAX_ROWS)
    .map(
      (result) =>
        `| ${result.severity} | ${cell(result.address)} | ${cell(placeOf(result))} | ${cell(result.rule_id)} | ${cell(result.message)} |`,
    );
  const severities = failuresBySeverity(report.results).map(([severity, count]) => `| ${severity} | ${count} |`);
  const skipped = report.skipped.slice(0, MAX_ROWS).map(({ file, reason }) => `- ${cell(file)}: ${cell(reason)}`);
  const parts = [
    ['## Palisade', '', `${summaryOf(report)}.`],
    ...(severities.length === 0 ? [] : [['| severity | failed |', '|---|---|', ...severities]]),
    ...(rows.length === 0 ? [] : [['| severity | resource | place | rule | why |', '|---|---|---|---|---|', ...rows]]),
    ...(failed.length > MAX_ROWS ? [[`${failed.length - MAX_ROWS} more are in the other formats.`]] : []),
    ...(skipped.length === 0 ? [] : [['Not evaluated:', '', ...skipped]]),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
