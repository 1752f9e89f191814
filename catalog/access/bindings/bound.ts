import { Names } from '../../names.js';
import type { InventoryResource } from '../../resource.js';
import { isAbout } from '../decide.js';
import type { Held } from '../held.js';
import type { ProviderAccess } from '../provider.js';
import type { PrivilegeTable } from '../table.js';
import type { AccessRule, Call, Gate, Weighed } from '../types.js';

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

  abstract namesOf(who: string): string[];
  abstract placesOf(resource: string, action: string): string[];
}

/** Groups may hold groups; a circle of them ends here. */
const MOST_GROUPS = 1_000;

/** Weighs calls where rights are bound: what is bound to somebody on a resource, or on what it lies in, allows; denials go first. */
export class BindingAccess implements ProviderAccess {
  private readonly byName = new Map<string, Bound[]>();

  constructor(readonly bindings: Bindings) {
    for (const bound of bindings.bound)
      for (const subject of bound.subjects) {
        const list = this.byName.get(subject);
        if (list === undefined) this.byName.set(subject, [bound]);
        else list.push(bound);
      }
  }

  /** What is bound to somebody, by name or by their groups. */
  boundTo(who: string): AccessRule[] {
    const reached = new Map<string, string[]>();
    const own = this.bindings.namesOf(who);
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

  heldBy(who: string): Held {
    const rules = this.boundTo(who);
    const [first = who] = this.bindings.namesOf(who);
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
    const [first = who] = this.bindings.namesOf(who);
    const resources = this.bindings.placesOf(resource, action);
    const call: Call = { who: first, principal: [first], account: undefined, action, resources };
    const rules = this.boundTo(who);
    const unseen = rules
      .filter((rule) => isAbout(rule, call) !== false)
      .map(({ uid }) => this.bindings.unseen.get(uid))
      .filter((role) => role !== undefined);
    const gate: Gate = { name: 'bindings', rules: rules.filter(({ effect }) => effect === 'allow'), unseen };
    return { call, gates: [gate], denials: rules.filter(({ effect }) => effect === 'deny'), assumed: [] };
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
