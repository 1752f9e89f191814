import { SEVERITIES, type Severity } from '../schema/model.js';
import type { Evaluable, Evaluation } from './evaluate.js';
import type { Rule } from './types.js';

/** What is asked of a rule that may stand for others. */
type Standing = Evaluable & Pick<Rule, 'severity' | 'severity_set' | 'implies' | 'together'>;

/** A failure that is reported, and the failures of one cause that it stands for, the worst first. */
export interface Reported<R extends Standing> {
  evaluation: Evaluation<R>;
  implied: Evaluation<R>[];
}

const rank = ({ severity }: { severity: Severity }): number => SEVERITIES.indexOf(severity);

/** The worst severity of a failure and of those that it stands for. */
export const severityOf = <R extends Standing>({ evaluation, implied }: Reported<R>): Severity =>
  [evaluation, ...implied]
    .map(({ rule }) => rule.severity)
    .reduce((worst, one) => (SEVERITIES.indexOf(one) < SEVERITIES.indexOf(worst) ? one : worst));

/** Whether a failure of a rule stands for one of another: of a severity that a tenant has set, for none that is worse. */
const standsFor = (rule: Standing, other: Standing): boolean =>
  rule.implies?.includes(other.rule_id) === true && !(rule.severity_set && rank(other) < rank(rule));

/** The failures that no other stands for, in the order that they came in. A rule implies more than those that it implies, and so comes before them. */
function strongestOf<R extends Standing>(failures: readonly Evaluation<R>[]): Evaluation<R>[] {
  const strongest = new Set<Evaluation<R>>();
  for (const failure of [...failures].sort((a, b) => (b.rule.implies?.length ?? 0) - (a.rule.implies?.length ?? 0)))
    if (![...strongest].some(({ rule }) => standsFor(rule, failure.rule))) strongest.add(failure);
  return failures.filter((failure) => strongest.has(failure));
}

/**
 * Which of the failures on one resource are reported: a failure stands for those of rules that its own implies, and the worst of those that belong
 * together for the others. Every failure is reported, or is implied by one that is.
 * @param aside rules whose findings a person has set aside: they are reported by themselves, and stand for nothing
 */
export function reportedOf<R extends Standing>(failures: readonly Evaluation<R>[], aside?: ReadonlySet<string>): Reported<R>[] {
  const isAside = ({ rule }: Evaluation<R>): boolean => aside?.has(rule.rule_id) === true;
  const counted = failures.filter((failure) => !isAside(failure)).sort((a, b) => rank(a.rule) - rank(b.rule));
  const strongest = strongestOf(counted);
  const leaders = new Map<string, Reported<R>>();
  const reported = new Map<Evaluation<R>, Reported<R>>();
  for (const evaluation of strongest) {
    const { together } = evaluation.rule;
    const leader = together === undefined ? undefined : leaders.get(together);
    if (leader !== undefined) {
      leader.implied.push(evaluation);
      reported.set(evaluation, leader);
      continue;
    }
    const own = { evaluation, implied: [] };
    reported.set(evaluation, own);
    if (together !== undefined) leaders.set(together, own);
  }
  for (const evaluation of counted) {
    if (reported.has(evaluation)) continue;
    const stronger = strongest.find(({ rule }) => standsFor(rule, evaluation.rule))!;
    reported.get(stronger)!.implied.push(evaluation);
  }
  const all = new Set(reported.values());
  for (const { implied } of all) implied.sort((a, b) => rank(a.rule) - rank(b.rule));
  return [...all, ...failures.filter(isAside).map((evaluation) => ({ evaluation, implied: [] }))];
}
