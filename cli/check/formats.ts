import { SEVERITIES } from '../../schema/model.js';
import { toOcsf } from './ocsf.js';
import type { CheckReport, CheckResult } from './report.js';
import { toSarif } from './sarif.js';

export const REPORT_FORMATS = ['table', 'json', 'sarif', 'ocsf'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** A report as text of a format, with a line end. */
export function formatReport(format: ReportFormat, report: CheckReport): string {
  if (format === 'table') return table(report);
  const value = format === 'json' ? toJson(report) : format === 'sarif' ? toSarif(report) : toOcsf(report);
  return `${JSON.stringify(value, null, 2)}\n`;
}

function toJson({ results, counts, files, implied }: CheckReport): unknown {
  return {
    results: results.map(({ rule_id, family, address, resource_type, result, severity, message, file, evidence, ...standing }) => ({
      rule_id,
      family,
      address,
      resource_type,
      result,
      severity,
      message,
      file,
      ...(result === 'FAIL' && { evidence }),
      ...(standing.implied_by !== undefined && { implied_by: standing.implied_by }),
      ...(standing.implied !== undefined && { implied: standing.implied }),
    })),
    counts,
    ...(implied !== undefined && { implied }),
    files,
  };
}

const MAX_MESSAGE = 100;

/** Worst first; one line a result, grouped by resource within a severity. */
function table({ results, counts, files, implied }: CheckReport): string {
  const sorted = [...results].sort(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      a.address.localeCompare(b.address) ||
      a.rule_id.localeCompare(b.rule_id),
  );
  const width = (field: (result: CheckResult) => string): number => Math.max(0, ...sorted.map((result) => field(result).length));
  const [ruleWidth, addressWidth] = [width(({ rule_id }) => rule_id), width(({ address }) => address)];
  const withResult = sorted.some(({ result }) => result !== 'FAIL');
  const lines = sorted.map(({ severity, result, rule_id, address, message, ...standing }) =>
    [
      severity.padEnd(8),
      ...(withResult ? [result.padEnd(13)] : []),
      rule_id.padEnd(ruleWidth),
      address.padEnd(addressWidth),
      message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 3)}...` : message,
      ...(standing.implied_by === undefined ? [] : [`(implied by ${standing.implied_by})`]),
      ...(standing.implied === undefined ? [] : [`(and ${standing.implied.length} implied)`]),
    ]
      .join('  ')
      .trimEnd(),
  );
  const worst = SEVERITIES.map(
    (severity) => [severity, results.filter((r) => r.severity === severity && r.result === 'FAIL').length] as const,
  )
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${count} ${severity}`);
  const resources = files.reduce((sum, file) => sum + file.resources, 0);
  const summary =
    `${resources} resources: ${counts.FAIL - (implied ?? 0)} failed${worst.length === 0 ? '' : ` (${worst.join(', ')})`}, ` +
    `${implied ? `${implied} more are implied (--all), ` : ''}` +
    `${counts.PASS} passed, ${counts.NOT_EVALUATED} not evaluated`;
  return `${lines.join('\n')}${lines.length === 0 ? '' : '\n\n'}${summary}\n`;
}
