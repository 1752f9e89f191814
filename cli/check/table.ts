import type { Severity } from '../../schema/model.js';
import { severityRank, summaryOf, type CheckReport, type CheckResult } from './report.js';

const MAX_MESSAGE = 160;
/** SGR codes of terminals. */
const COLOURS: Readonly<Record<Severity, number>> = { critical: 35, high: 31, medium: 33, low: 36, info: 90 };
const BOLD = 1;
const FAINT = 2;

/** Results by resource: those with the worst first, and of each the worst first. @param colours for a terminal that shows them */
export function toTable(report: CheckReport, colours: boolean): string {
  const paint = (code: number, text: string): string => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  const withResult = report.results.some(({ result }) => result !== 'FAIL');
  const width = Math.max(0, ...report.results.map(({ rule_id }) => rule_id.length));
  const groups = byResource(report.results).map((results) => {
    const [{ address, file, line }] = results as [CheckResult];
    const place = line === undefined ? file : `${file}:${line}`;
    const lines = results.map(({ severity, result, rule_id, message, ...standing }) =>
      [
        `  ${paint(COLOURS[severity], severity.padEnd(8))}`,
        ...(withResult ? [result.padEnd(13)] : []),
        rule_id.padEnd(width),
        message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 3)}...` : message,
        ...(standing.implied_by === undefined ? [] : [`(implied by ${standing.implied_by})`]),
        ...(standing.implied === undefined ? [] : [`(and ${standing.implied.length} implied)`]),
      ]
        .join('  ')
        .trimEnd(),
    );
    return [`${paint(BOLD, address)}  ${paint(FAINT, place)}`, ...lines].join('\n');
  });
  return `${[...groups, [...explainedBy(report, paint), ...outsideOf(report), summaryOf(report)].join('\n')].join('\n\n')}\n`;
}

/** How to learn more of what fails. */
const explainedBy = ({ results }: CheckReport, paint: (code: number, text: string) => string): string[] =>
  results.some(({ result }) => result === 'FAIL') ? [paint(FAINT, 'why, and how to mend it: palisade rule show RULE')] : [];

/** What is not told, because the profile leaves it out. */
const outsideOf = ({ outside }: CheckReport): string[] =>
  !outside?.failures
    ? []
    : [`not shown: ${outside.failures} failures of ${outside.rules} rules outside of the profile ${outside.profile} (--profile all)`];

function byResource(results: readonly CheckResult[]): CheckResult[][] {
  const groups = new Map<string, CheckResult[]>();
  for (const result of results) {
    const key = `${result.file}\n${result.address}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [result]);
    else group.push(result);
  }
  const rank = (result: CheckResult): number => severityRank(result) + (result.result === 'FAIL' ? 0 : 10);
  for (const group of groups.values()) group.sort((one, other) => rank(one) - rank(other) || one.rule_id.localeCompare(other.rule_id));
  return [...groups.values()].sort(
    ([one], [other]) => rank(one!) - rank(other!) || one!.file.localeCompare(other!.file) || one!.address.localeCompare(other!.address),
  );
}
