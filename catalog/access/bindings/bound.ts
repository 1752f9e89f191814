import type { Statement } from '../../cel/policy.js';
import { Names } from '../../names.js';
import type { InventoryResource } from '../../resource.js';
import { isAbout } from '../decide.js';
import type { Held } from '../held.js';
import type { Place } from '../place.js';
import type { Principal, ProviderAccess } from '../provider.js';
import type { PrivilegeTable } from '../table.js';
import type { AccessRule, Call, Weighed } from '../types.js';

/** A rule and who is bound to it: names of identities, groups, or of everybody. */
export interface Bound {
  subjects: readonly string[];
  /** Who of these it spares. */
  spares?: readonly string[];
  rule: AccessRule;
}

/** What the bindings, assignments and policies of one provider come to. */
export interface Bindings {
  readonly privileges: PrivilegeTable;
  readonly bound: readonly Bound[];
  /** The groups that have a member, by its name. */
  readonly groupsOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** Roles that the inventory does not show, by the uid of the binding that names them. */
  readonly unseen: ReadonlyMap<string, string>;
  /** The uid of each identity. */
  readonly identities: readonly string[];
  /** The names under which somebody may be bound, groups apart. */
  namesOf(who: string): string[];
  /** The names of a resource and of all that it lies in. */
  placesOf(resource: string, action: string): string[];
  /** Names under which everybody is bound. */
  readonly everybody: readonly string[];
  /** The account of an identity; empty where nothing tells. */
  accountOf(uid: string): string;
  /** What a place that a rule names is in the inventory. */
  place(name: string): Place | undefined;
}

/** What every provider's bindings are gathered in. */
export abstract class GatheredBindings implements Bindings {
  abstract readonly privileges: PrivilegeTable;
  readonly bound: Bound[] = [];
  readonly groupsOf = new Map<string, Set<string>>();
  readonly unseen = new Map<string, string>();
  readonly identities: string[] = [];
  protected readonly assets = new Map<string, InventoryResource>();
  protected readonly names = new Names();

  abstract readonly everybody: readonly string[];

  abstract namesOf(who: string): string[];
  abstract placesOf(resource: string, action: string): string[];
  abstract place(name: string): Place | undefined;

  accountOf(uid: string): string {
    return this.assets.get(uid)?.account_id ?? '';
  }

  /** The accounts that resources of the inventory are in. */
  protected accounts(): readonly string[] {
    return (this.known ??= [...new Set([...this.assets.values()].map(({ account_id }) => account_id ?? ''))].filter(Boolean).sort());
  }
  private known: readonly string[] | undefined;
}

/** Groups may hold groups; a circle of them ends here. */
const MOST_GROUPS = 1_000;

/** Weighs calls where rights are bound: what is bound to somebody on a resource, or on what it lies in, allows; denials go first. */
export class BindingAccess implements ProviderAccess {
  private readonly byName = new Map<string, Bound[]>();
  private readonly rules = new Map<string, readonly AccessRule[]>();
  /** Names of the identities that the inventory shows. */
  private shown: ReadonlySet<string> | undefined;

  constructor(readonly bindings: Bindings) {
    for (const bound of bindings.bound)
      for (const subject of bound.subjects) {
        const list = this.byName.get(subject);
        if (list === undefined) this.byName.set(subject, [bound]);
        else list.push(bound);
      }
  }

  /** What is bound to somebody, by name or by their groups. */
  boundTo(who: string): readonly AccessRule[] {
    const known = this.rules.get(who) ?? this.boundToNames(this.namesOf(who));
    this.rules.set(who, known);
    return known;
  }

  /** Somebody whom the inventory does not show is named as rules name them. */
  private namesOf(who: string): string[] {
    const names = this.bindings.namesOf(who);
    return this.isStranger(who) ? [...new Set([who, ...names])] : names;
  }

  private boundToNames(own: readonly string[]): AccessRule[] {
    const reached = new Map<string, string[]>();
    const left = own.map((name): [string, string[]] => [name, []]);
    while (left.length > 0 && reached.size < MOST_GROUPS) {
      const [name, via] = left.shift()!;
      if (reached.has(name)) continue;
      reached.set(name, via);
      for (const group of this.bindings.groupsOf.get(name) ?? []) left.push([group, [...via, group]]);
    }
    const found = new Map<AccessRule, AccessRule>();
    for (const [name, via] of reached)
      for (const { rule, spares = [] } of this.byName.get(name) ?? [])
        if (!found.has(rule) && !spares.some((spared) => reached.has(spared))) found.set(rule, via.length > 0 ? { ...rule, via } : rule);
    return [...found.values()];
  }

  get privileges(): PrivilegeTable {
    return this.bindings.privileges;
  }

  get identities(): readonly string[] {
    return this.bindings.identities;
  }

  get everybody(): readonly string[] {
    return this.bindings.everybody;
  }

  get strangers(): readonly string[] {
    return [...this.byName.keys()].filter((name) => this.isStranger(name)).sort();
  }

  accountOf(who: string): string {
    return this.bindings.accountOf(who);
  }

  place(resource: string): Place | undefined {
    return this.bindings.place(resource);
  }

  readonly byTrust = false;
  readonly policied = [];

  apartIn(): readonly string[] {
    return [];
  }

  namedBy(): readonly Principal[] {
    return [];
  }

  statementsOf(): readonly Statement[] {
    return [];
  }

  identitiesOf(): readonly string[] {
    return [];
  }

  heldBy(who: string): Held {
    return this.held(who, this.boundTo(who));
  }

  ownOf(who: string): Held {
    const names = this.namesOf(who);
    const own = names.filter((name) => !this.everybody.includes(name));
    if (own.length === names.length || own.length === 0) return this.heldBy(who);
    // what is forbidden to everybody is forbidden to each
    const forbidden = this.boundTo(who).filter(({ effect }) => effect === 'deny');
    return this.held(who, [...this.boundToNames(own).filter(({ effect }) => effect === 'allow'), ...forbidden]);
  }

  private held(who: string, rules: readonly AccessRule[]): Held {
    const [first = who] = this.namesOf(who);
    return {
      call: { who: first, principal: [first], account: undefined },
      allows: rules.filter(({ effect }) => effect === 'allow'),
      denials: rules.filter(({ effect }) => effect === 'deny'),
      limits: [],
      unseen: [...new Set(rules.map(({ uid }) => this.bindings.unseen.get(uid)).filter((role) => role !== undefined))],
      assumed: [],
    };
  }

  /** What decides whether somebody may do something. */
  weigh(who: string, action: string, resource: string): Weighed {
    return this.toward(who, resource)(action);
  }

  toward(who: string, resource: string): (action: string) => Weighed {
    const [first = who] = this.namesOf(who);
    const rules = this.boundTo(who);
    const allows = rules.filter(({ effect }) => effect === 'allow');
    const denials = rules.filter(({ effect }) => effect === 'deny');
    return (action) => {
      const resources = this.bindings.placesOf(resource, action);
      const call: Call = { who: first, principal: [first], account: undefined, action, resources };
      const unseen = rules
        .filter((rule) => this.bindings.unseen.has(rule.uid) && isAbout(rule, call) !== false)
        .map(({ uid }) => this.bindings.unseen.get(uid)!);
      return { call, gates: [{ name: 'bindings', rules: allows, unseen }], denials, assumed: [] };
    };
  }

  private isStranger(name: string): boolean {
    this.shown ??= new Set([...this.identities.flatMap((uid) => this.bindings.namesOf(uid)), ...this.everybody]);
    return this.byName.has(name) && !this.shown.has(name);
  }
}

/** Adds to a map of sets. */
export function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([value]));
  else set.add(value);
}

/** Whether a condition that a binding has is met: only the call itself tells. */
export const conditionIf = (present: boolean): AccessRule['condition'] => (present ? () => undefined : () => true);
