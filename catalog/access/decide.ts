import { holds } from './pattern.js';
import type { AccessRule, Answer, Call, Decision, Gate, Said, Weighed } from './types.js';

/** How a rule meets a call. */
export type Met = 'yes' | 'conditional' | 'unknown' | 'no';

const SURENESS: readonly Met[] = ['no', 'unknown', 'conditional', 'yes'];
const ANSWER: Readonly<Record<Exclude<Met, 'no'>, Exclude<Answer, 'denied'>>> = {
  yes: 'allowed',
  conditional: 'conditional',
  unknown: 'unknown',
};

/** Whether a rule is about the resource of a call; null where it names what its source does not know yet. */
export function isAbout(rule: AccessRule, { resources }: Call): boolean | null {
  const places = resources.map((name) => holds(rule.resources, name));
  return places.includes(true) ? true : places.includes(null) ? null : false;
}

/** How a rule meets a call. */
export function meet(rule: AccessRule, call: Call): Met {
  const action = holds(rule.actions, call.action);
  if (action === false) return 'no';
  const place = isAbout(rule, call);
  if (place === false) return 'no';
  const condition = rule.condition(call);
  if (condition === false) return 'no';
  if (action === null || place === null) return 'unknown';
  return condition === undefined ? 'conditional' : 'yes';
}

/** A statement as answers name it. */
export const said = ({ uid, label }: AccessRule): Said => ({ resource_uid: uid, statement: label });

/** The surest of the rules that are about a call, and how sure it is. */
function surest(rules: readonly AccessRule[], call: Call): { met: Met; by: AccessRule[] } {
  let met: Met = 'no';
  let by: AccessRule[] = [];
  for (const rule of rules) {
    const own = meet(rule, call);
    if (own === 'no' || SURENESS.indexOf(own) < SURENESS.indexOf(met)) continue;
    by = own === met ? [...by, rule] : [rule];
    met = own;
  }
  return { met, by };
}

/** Statements that an answer names at most. */
const MOST_SAID = 20;

/**
 * Whether a call is allowed: no denial is about it, and each gate has a rule that allows it. An explicit denial goes before all else
 * (AWS IAM User Guide, "Policy evaluation logic"; Google Cloud, "Deny policies"; Azure, "Deny assignments").
 */
export function decide({ call, gates, denials, assumed }: Weighed): Decision {
  const answer = (answer: Answer, reason: string, by: readonly AccessRule[]): Decision => ({
    answer,
    reason,
    by: by.slice(0, MOST_SAID).map(said),
    assumed: [...assumed],
  });
  const denied = surest(denials, call);
  if (denied.met === 'yes') return answer('denied', 'a statement forbids it', denied.by);
  let worst: Exclude<Met, 'no'> = 'yes';
  const allowing: AccessRule[] = [];
  let open: Gate | undefined;
  for (const gate of gates) {
    const { met, by } = surest(gate.rules, call);
    if (met === 'no' && gate.unseen.length === 0) return answer('denied', `${gate.name}: nothing allows it`, []);
    const own = met === 'no' ? 'unknown' : met;
    if (met === 'no') open = gate;
    if (SURENESS.indexOf(own) < SURENESS.indexOf(worst)) worst = own;
    allowing.push(...by);
  }
  if (open) return answer('unknown', `${open.name}: ${open.unseen[0]} is not in the inventory`, allowing);
  if (worst === 'unknown' || denied.met === 'unknown')
    return answer('unknown', 'a statement names what its source does not know yet', [...denied.by, ...allowing]);
  if (worst === 'conditional' || denied.met === 'conditional')
    return answer('conditional', 'it hangs on the conditions of a statement', [...denied.by, ...allowing]);
  return answer(ANSWER[worst], 'a statement allows it', allowing);
}
