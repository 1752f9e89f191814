import type { Provider } from '../../schema/model.js';
import { administers } from '../access/administers.js';
import { grantsOf, type Held } from '../access/held.js';
import type { AccessModel } from '../access/model.js';
import { covers } from '../access/pattern.js';
import type { AccessRule, Answer, Patterns, Privilege } from '../access/types.js';
import { actionsOf, type Actions } from '../actions/actions.js';

/** Rights of one service whose use one class of log shows; of those that no log shows it is null. */
export interface Need {
  log: string | null;
  service: string;
  rights: number;
}

/** What an identity is given, counted: by rights where the provider's list of them is known, else by the patterns of its statements. */
export interface Granted {
  uid: string;
  admin: Answer;
  /** The most that one of its statements lets it do; null for one without rights. */
  privilege: Privilege | null;
  needs: Need[];
  /** Patterns of the actions that it is given. */
  allow: string[];
}

/** Patterns that are kept of one identity. */
const MOST_PATTERNS = 500;
/** Services that are told apart for one class of log. */
const MOST_NEEDS = 2_000;

/** Counts what identities are given. */
export class GrantedRights {
  private readonly actions: Actions;
  private readonly index = new Map<string, number>();
  private readonly byService = new Map<string, number[]>();
  private readonly matching = new Map<string, Uint8Array>();
  /** Policies that many have list thousands of actions: each list is read once. */
  private readonly lists = new WeakMap<Patterns, Uint8Array>();
  private identities: ReadonlySet<string> | undefined;

  constructor(
    private readonly model: AccessModel,
    private readonly provider: Provider,
  ) {
    this.actions = actionsOf(provider);
    this.actions.known.forEach((right, at) => {
      this.index.set(right.toLowerCase(), at);
      const service = this.actions.serviceOf(right).toLowerCase();
      this.byService.set(service, [...(this.byService.get(service) ?? []), at]);
    });
  }

  /** Whether the model of access knows somebody as an identity. */
  isIdentity(uid: string): boolean {
    this.identities ??= new Set(this.model.of(this.provider).identities);
    return this.identities.has(uid);
  }

  of(uid: string): Granted {
    const access = this.model.of(this.provider);
    const held = access.heldBy(uid);
    const { grants } = grantsOf(held, access.privileges);
    const allow = [...new Set(grants.flatMap(({ actions }) => actions))].slice(0, MOST_PATTERNS);
    return {
      uid,
      admin: administers(access, uid),
      privilege: grants[0]?.privilege ?? null,
      needs:
        this.actions.known.length > 0 ? this.needsOfRights(held) : countNeeds(allow.flatMap((pattern) => this.actions.logsOf(pattern))),
      allow,
    };
  }

  private needsOfRights(held: Held): Need[] {
    const { known } = this.actions;
    const given = new Uint8Array(known.length);
    const further = new Set<string>();
    for (const rule of held.allows) {
      if (rule.condition({ ...held.call, action: '*', resources: [] }) === false) continue;
      add(given, this.heldBy(rule.actions));
      for (const action of rule.actions.include)
        if (action !== null && !/[*?]/.test(action) && action.includes(':') && !this.index.has(action.toLowerCase())) further.add(action);
    }
    for (const { rules, unseen } of held.limits) if (unseen.length === 0) keep(given, this.anyOf(rules));
    for (const denial of held.denials) if (isOfAll(denial, held)) remove(given, this.heldBy(denial.actions));
    const rights = [...further];
    given.forEach((is, at) => {
      if (is === 1) rights.push(known[at]!);
    });
    return countNeeds(rights.map((right) => [this.actions.logOf(right), this.actions.serviceOf(right)]));
  }

  private anyOf(rules: readonly AccessRule[]): Uint8Array {
    const any = new Uint8Array(this.actions.known.length);
    for (const { actions } of rules) add(any, this.heldBy(actions));
    return any;
  }

  private heldBy(patterns: Patterns): Uint8Array {
    const { include, exclude } = patterns;
    if (include.length === 1 && exclude.length === 0) return this.held(include[0]!);
    const known = this.lists.get(patterns);
    if (known !== undefined) return known;
    const inside = new Uint8Array(this.actions.known.length);
    for (const pattern of include) {
      const at = pattern === null ? undefined : this.index.get(pattern.toLowerCase());
      if (at === undefined) add(inside, this.held(pattern));
      else inside[at] = 1;
    }
    for (const pattern of exclude) remove(inside, this.held(pattern));
    this.lists.set(patterns, inside);
    return inside;
  }

  /** The known rights that a pattern holds; none for one that is not known yet. */
  private held(pattern: string | null): Uint8Array {
    const key = pattern?.toLowerCase() ?? '';
    const found = this.matching.get(key);
    if (found !== undefined) return found;
    const { known } = this.actions;
    const inside = new Uint8Array(known.length);
    const service = this.actions.serviceOf(key);
    const candidates = /[*?]/.test(service) ? known.keys() : (this.byService.get(service) ?? []);
    if (pattern !== null) for (const at of candidates) if (covers(key, known[at]!)) inside[at] = 1;
    this.matching.set(key, inside);
    return inside;
  }
}

/** Whether a denial is about all resources, whatever the call. */
const isOfAll = ({ resources, condition }: AccessRule, { call }: Held): boolean =>
  resources.exclude.length === 0 && resources.include.includes('*') && condition({ ...call, action: '*', resources: [] }) === true;

function countNeeds(all: readonly (readonly [log: string | null, service: string])[]): Need[] {
  const needs = new Map<string, Need>();
  for (const [log, service] of all) {
    const key = `${log}\n${service}`;
    const need = needs.get(key) ?? { log, service, rights: 0 };
    need.rights += 1;
    needs.set(key, need);
  }
  return [...needs.values()].sort((a, b) => b.rights - a.rights || (a.service < b.service ? -1 : 1)).slice(0, MOST_NEEDS);
}

function add(to: Uint8Array, other: Uint8Array): void {
  for (let at = 0; at < to.length; at++) to[at]! |= other[at]!;
}
function keep(of: Uint8Array, other: Uint8Array): void {
  for (let at = 0; at < of.length; at++) of[at]! &= other[at]!;
}
function remove(from: Uint8Array, other: Uint8Array): void {
  for (let at = 0; at < from.length; at++) if (other[at] === 1) from[at] = 0;
}
