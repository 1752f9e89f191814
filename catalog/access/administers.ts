import { decide } from './decide.js';
import { privilegeOf } from './privilege.js';
import type { ProviderAccess } from './provider.js';
import type { AccessRule, Answer } from './types.js';

/** A statement that gives every right in a whole account, subscription, project or cluster, after what others take away. */
export interface WholeGrant {
  readonly rule: AccessRule;
  /** The whole, in the words of the provider. */
  readonly place: string;
  readonly answer: Exclude<Answer, 'denied'>;
}

const SURE: readonly Answer[] = ['denied', 'unknown', 'conditional', 'allowed'];

/**
 * The statements by which somebody may do everything in a whole account, subscription, project or cluster. Denials and limits that leave one of the
 * ways to give rights leave the administrator.
 */
export function wholeGrants(access: ProviderAccess, who: string): WholeGrant[] {
  const { privileges } = access;
  const found: WholeGrant[] = [];
  const answers = new Map<string, Answer>();
  for (const rule of access.ownOf(who).allows) {
    if (rule.resources.exclude.length > 0 || privilegeOf(privileges, rule.actions) !== 'admin') continue;
    for (const place of rule.resources.include) {
      if (place === null || !privileges.whole.test(place)) continue;
      const answer = answers.get(place) ?? answerIn(access, who, place);
      answers.set(place, answer);
      if (answer !== 'denied') found.push({ rule, place, answer });
    }
  }
  return found;
}

function answerIn(access: ProviderAccess, who: string, place: string): Answer {
  const weigh = access.toward(who, place);
  let best: Answer = 'denied';
  for (const action of access.privileges.essential) {
    const { answer } = decide(weigh(action));
    if (SURE.indexOf(answer) > SURE.indexOf(best)) best = answer;
  }
  return best;
}

/** Whether somebody may do everything in a whole account, subscription, project or cluster; unknown where what is not shown may say so. */
export function administers(access: ProviderAccess, who: string): Answer {
  const open: Answer = access.ownOf(who).unseen.length > 0 ? 'unknown' : 'denied';
  return wholeGrants(access, who).reduce<Answer>((best, { answer }) => (SURE.indexOf(answer) > SURE.indexOf(best) ? answer : best), open);
}
