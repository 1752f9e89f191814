import { decide, said } from './decide.js';
import { EVERYTHING, holds, holdsAll, meets } from './pattern.js';
import { privilegeOf } from './privilege.js';
import type { PrivilegeTable } from './table.js';
import { PRIVILEGES, type AccessRule, type Answer, type Call, type Decision, type Gate, type Grant, type Said } from './types.js';

/** All that an identity is given, and all that takes it away again, whatever the resource. */
export interface Held {
  call: Omit<Call, 'action' | 'resources'>;
  allows: readonly AccessRule[];
  denials: readonly AccessRule[];
  /** Rules of which one must allow as well: boundaries, policies of the organization. */
  limits: readonly Gate[];
  unseen: readonly string[];
  assumed: readonly string[];
}

type Possible = Exclude<Answer, 'denied'>;

/** Grants that are told of one identity, and statements that are said to limit one. */
export const MOST_GRANTS = 500;
const MOST_LIMITS = 20;
/** Denials that are looked at for each grant. */
const MOST_DENIALS = 2_000;

const texts = (patterns: readonly (string | null)[]): string[] => patterns.filter((pattern) => pattern !== null);

/** What an identity is given, the most dangerous first; what something takes away as a whole is left out. */
export function grantsOf(held: Held, table: PrivilegeTable): { grants: Grant[]; cut: boolean } {
  const grants: Grant[] = [];
  const ranked = held.allows
    .map((rule) => ({ rule, privilege: privilegeOf(table, rule.actions) }))
    .sort((a, b) => PRIVILEGES.indexOf(b.privilege) - PRIVILEGES.indexOf(a.privilege));
  for (const { rule, privilege } of ranked) {
    if (grants.length === MOST_GRANTS) return { grants, cut: true };
    const left = whatIsLeft(rule, held);
    if (left === undefined) continue;
    const { actions, resources, via } = rule;
    grants.push({
      privilege,
      actions: texts(actions.include),
      not_actions: texts(actions.exclude),
      resources: texts(resources.include),
      not_resources: texts(resources.exclude),
      answer: left.answer,
      granted_by: said(rule),
      via: [...via],
      limited_by: left.limited_by,
    });
  }
  return { grants, cut: false };
}

/** What denials and limits leave of a rule; undefined for nothing. */
function whatIsLeft(rule: AccessRule, held: Held): { answer: Possible; limited_by: Said[] } | undefined {
  const { actions, resources } = rule;
  const call: Call = { ...held.call, action: '*', resources: [] };
  const condition = rule.condition(call);
  if (condition === false || actions.include.length === 0) return undefined;
  const limited = new Map<string, Said>();
  const limit = (by: AccessRule) => void (limited.size < MOST_LIMITS && limited.set(`${by.uid} ${by.label}`, said(by)));
  for (const denial of held.denials.slice(0, MOST_DENIALS)) {
    const applies = denial.condition(call);
    if (applies === false || !meets(actions, denial.actions) || !meets(resources, denial.resources)) continue;
    if (applies && holdsAll(denial.actions, actions) && holdsAll(denial.resources, resources)) return undefined;
    limit(denial);
  }
  let open = actions.include.includes(null) || resources.include.includes(null);
  for (const gate of held.limits) {
    const here = gate.rules.filter((other) => meets(actions, other.actions) && meets(resources, other.resources));
    if (here.length === 0 && gate.unseen.length === 0) return undefined;
    if (here.length === 0) open = true;
    if (!here.some((other) => holdsAll(other.actions, actions) && holdsAll(other.resources, resources))) here.forEach(limit);
  }
  return { answer: open ? 'unknown' : condition === undefined ? 'conditional' : 'allowed', limited_by: [...limited.values()] };
}

const SURE: readonly Answer[] = ['denied', 'unknown', 'conditional', 'allowed'];

/** Whether an identity is given an action on anything at all, and by what: the surest of the answers, on the resources of each statement. */
export function givenAnywhere(held: Held, action: string): Decision & { resources: string[] } {
  let best: Decision = { answer: 'denied', reason: 'nothing allows it', by: [], assumed: [] };
  const resources = new Set<string>();
  for (const rule of held.allows) {
    if (holds(rule.actions, action) !== true) continue;
    for (const place of texts(rule.resources.include)) {
      const call: Call = { ...held.call, action, resources: [place] };
      const own = { ...rule, resources: EVERYTHING };
      const decision = decide({
        call,
        gates: [{ name: 'policies', rules: [own], unseen: [] }, ...held.limits],
        denials: held.denials,
        assumed: held.assumed,
      });
      if (decision.answer !== 'denied') resources.add(place);
      if (SURE.indexOf(decision.answer) > SURE.indexOf(best.answer)) best = decision;
    }
  }
  return { ...best, resources: [...resources] };
}
