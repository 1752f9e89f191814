import { createHash } from 'node:crypto';
import { PROVIDERS, type Provider } from '../../../schema/model.js';
import { escalations } from '../escalations.js';
import type { AccessModel } from '../model.js';
import { accountOfResource, type Place, type Scope } from '../place.js';
import type { ProviderAccess } from '../provider.js';
import { ON_RESOURCES, targetsOf, type OnResource, type TargetActions } from '../targets.js';
import type { Privilege, Said } from '../types.js';
import { ActionIndex } from './actions.js';
import { administrator, INTERNET, MOST_BY, outsider, type AccessNode } from './types.js';

/** What an action tells of a resource: a privilege on it, or that one may act as it. */
export type Level = OnResource | 'assume';
export const LEVELS: readonly Level[] = [...ON_RESOURCES, 'assume'];

/** One provider's estate as edges are made of it: what is asked again and again is kept. */
export class AccessEstate {
  readonly access: ProviderAccess;
  readonly targets: ReadonlyMap<string, TargetActions>;
  readonly actions: ActionIndex;
  readonly provider: Provider;
  /** Action -> the resource types and privileges that it tells. */
  readonly meaning = new Map<string, { type: string; level: Level }[]>();
  /** The accounts of which the inventory shows something. */
  private readonly accounts: ReadonlySet<string>;
  private readonly nodes = new Map<string, AccessNode>();
  private readonly places = new Map<string, Place | undefined>();
  private readonly held = new Map<string, ReadonlySet<string>>();

  constructor(
    readonly model: AccessModel,
    provider: string,
  ) {
    this.provider = PROVIDERS.find((name) => name === provider)!;
    this.access = model.of(provider);
    this.targets = targetsOf(provider);
    this.accounts = new Set(model.resources(provider).flatMap((asset) => [asset.account_id ?? '', accountOfResource(asset)]));
    for (const [type, actions] of this.targets)
      for (const level of ON_RESOURCES) for (const action of actions[level]) this.means(action, type, level);
    const { assumed } = this.access.privileges;
    // where a trust decides, a right alone lets nobody act as another
    if (!this.access.byTrust) for (const { type, action } of assumed) for (const one of type) this.means(action, one, 'assume');
    const needed = (escalations().get(provider) ?? []).flatMap(({ needs, passes }) => [...needs, ...(passes ? [passes.action] : [])]);
    this.actions = new ActionIndex([...this.meaning.keys(), ...needed, ...assumed.map(({ action }) => action)]);
  }

  private means(action: string, type: string, level: Level): void {
    const known = this.meaning.get(action);
    if (known === undefined) this.meaning.set(action, [{ type, level }]);
    else known.push({ type, level });
  }

  /** The accounts that the ends of an edge are in; empty for one of which the inventory shows nothing. */
  accountsOf(who: string, to: string): string[] {
    const from = this.model.resource(who) === undefined ? [] : [this.access.accountOf(who)];
    const ends = [...from, this.nodes.get(to)?.account_id ?? this.accountOfResource(to)];
    return [...new Set(ends.map((account) => (this.accounts.has(account) ? account : '')))];
  }

  typeOf(uid: string): string {
    return this.model.resource(uid)?.resource_type ?? '';
  }

  accountOfResource(uid: string): string {
    const asset = this.model.resource(uid);
    return asset === undefined ? '' : accountOfResource(asset);
  }

  /** What a resource of a rule is in the inventory, for somebody of an account. */
  placeOf(pattern: string, who: string): Place | undefined {
    const key = `${this.access.accountOf(who)}\n${pattern}`;
    if (!this.places.has(key)) this.places.set(key, this.access.place(pattern, who));
    return this.places.get(key);
  }

  /** The known actions that somebody's own policies name. */
  heldBy(who: string): ReadonlySet<string> {
    const known = this.held.get(who);
    if (known !== undefined) return known;
    const held = new Set(this.access.ownOf(who).allows.flatMap(({ actions }) => [...this.actions.heldBy(actions)]));
    this.held.set(who, held);
    return held;
  }

  /** How edges name who asks. */
  sourceOf(who: string): string {
    if (this.access.everybody.includes(who)) return INTERNET;
    return this.model.resource(who) === undefined ? outsider(this.provider, who) : who;
  }

  administratorOf(account: string): AccessNode {
    const uid = administrator(this.provider, account);
    const name = `Administrator of ${account}`;
    return this.node({ uid, type: 'administrator', provider: this.provider, account_id: account, name, scope: null });
  }

  private node(node: AccessNode): AccessNode {
    const known = this.nodes.get(node.uid);
    if (known === undefined) this.nodes.set(node.uid, node);
    return known ?? node;
  }

  scopeNode(privilege: Privilege, { provider: _, ...scope }: Scope): AccessNode {
    const digest = createHash('sha256')
      .update(JSON.stringify([privilege, scope]))
      .digest('base64url')
      .slice(0, 16);
    const [account_id = ''] = (scope.within[0] ?? '').split('/');
    const { resource_types: types, within, pattern } = scope;
    const what = types.includes('*') ? 'any resource' : types.length === 1 ? types[0]! : `resources of ${types.length} types`;
    const where = pattern ?? (within.length === 1 ? within[0]! : `${within.length} places`);
    const uid = `${this.provider}/${account_id}/scope/${digest}`;
    const node = { uid, provider: this.provider, account_id, name: `${privilege}: ${what} in ${where}`, scope: { ...scope, privilege } };
    return this.node({ ...node, type: 'access_scope' });
  }
}

/** Gathers the statements of an edge, each once and some of many. */
export class Statements {
  private readonly found = new Map<string, Said>();

  add({ resource_uid, statement }: Said): void {
    if (this.found.size < MOST_BY) this.found.set(`${resource_uid} ${statement}`, { resource_uid, statement });
  }

  get list(): Said[] {
    return [...this.found.values()];
  }
}
