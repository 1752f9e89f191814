import { toOcsf } from './ocsf.js';
import { toGitHub, toGitLab, toJUnit, toMarkdown } from './pipelines.js';
import type { CheckReport, CheckResult } from './report.js';
import { toSarif } from './sarif.js';
import { toTable } from './table.js';

export const REPORT_FORMATS = ['table', 'json', 'sarif', 'ocsf', 'junit', 'github', 'gitlab', 'markdown'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** How a report is written in each format. @param colours for a terminal that shows them */
const WRITERS: Readonly<Record<ReportFormat, (report: CheckReport, colours: boolean) => string>> = {
  table: toTable,
  json: (report) => json(toJson(report)),
  sarif: (report) => json(toSarif(report)),
  ocsf: (report) => json(toOcsf(report)),
  junit: toJUnit,
  github: toGitHub,
  gitlab: (report) => json(toGitLab(report)),
  markdown: toMarkdown,
};

/** A report as text of a format, with a line end. */
export const formatReport = (format: ReportFormat, report: CheckReport, colours = false): string => WRITERS[format](report, colours);

/** What programs read: members are added where there is something to tell, and none is taken away. */
function toJson({ results, counts, files, implied, outside, suppressed, skipped, isSearch, unchanged }: CheckReport): unknown {
  return {
    results: results.map(jsonResult),
    counts,
    ...(implied !== undefined && { implied }),
    ...(outside !== undefined && { profile: outside.profile, outside_profile: outside.failures }),
    files,
    ...(unchanged !== undefined && { unchanged }),
    ...(suppressed.length > 0 && { suppressed: suppressed.map(({ result, kind, reason }) => ({ ...jsonResult(result), kind, reason })) }),
    ...((isSearch || skipped.length > 0) && { skipped }),
  };
}

const jsonResult = ({ rule_id, family, address, resource_type, result, severity, message, file, ...more }: CheckResult): object => ({
  rule_id,
  family,
  address,
  resource_type,
  result,
  severity,
  message,
  file,
  ...(more.isCode && more.line !== undefined && { line: more.line }),
  ...(result === 'FAIL' && { evidence: more.evidence }),
  ...(more.implied_by !== undefined && { implied_by: more.implied_by }),
  ...(more.implied !== undefined && { implied: more.implied }),
});
