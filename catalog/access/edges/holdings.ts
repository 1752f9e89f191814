import { said } from '../decide.js';
import { administers, wholeGrants } from '../administers.js';
import type { Held } from '../held.js';
import type { Place, Scope } from '../place.js';
import type { AccessRule, Answer } from '../types.js';
import { LEVELS, Statements, type AccessEstate, type Level } from './estate.js';
import { bestOf, whatIsLeftOf } from './left.js';
import type { AccessEdge, AccessNode } from './types.js';

/** Resources that are looked at one by one for somebody who is given broad rights, and those that one has edges to by name. */
const MOST_APART = 200;
export const MOST_NAMED = 2_000;

/** What the policies of somebody come to. */
export interface Holdings {
  edges: AccessEdge[];
  nodes: AccessNode[];
  admin: Answer;
}

interface BroadGrant {
  scope: Omit<Scope, 'resource_types'>;
  level: Level;
  conditional: boolean;
  types: Set<string>;
  by: Statements;
}

/**
 * What somebody may do by the policies of their own: an edge to each resource that they name, one to a scope for what they give broadly, and one
 * to the administrator of an account that they give as a whole.
 * @param isAsked the accounts whose resources are asked about
 */
export class HoldingsOf {
  private readonly from: string;
  private readonly held: Held;
  private readonly named = new Map<string, Map<Level, Set<string>>>();
  private readonly broad = new Map<string, BroadGrant>();
  private readonly administered = new Set<string>();

  constructor(
    private readonly estate: AccessEstate,
    private readonly who: string,
    private readonly isAsked: (account: string) => boolean,
  ) {
    this.from = estate.sourceOf(who);
    this.held = estate.access.ownOf(who);
  }

  read(): Holdings {
    const admin = administers(this.estate.access, this.who);
    const administrators = this.administrators();
    for (const rule of this.held.allows) this.add(rule);
    const scopes = [...this.broad.values()].map((grant) => this.scopeEdge(grant));
    return {
      edges: [...administrators.map(({ edge }) => edge), ...this.namedEdges(), ...scopes.map(({ edge }) => edge)],
      nodes: [...administrators, ...scopes].map(({ node }) => node),
      admin,
    };
  }

  /** Edges to the administrators of accounts that are given as a whole. */
  private administrators(): { edge: AccessEdge; node: AccessNode }[] {
    const found = new Map<string, { conditional: boolean; by: Statements }>();
    for (const { rule, place: name, answer } of wholeGrants(this.estate.access, this.who)) {
      const place = this.estate.placeOf(name, this.who);
      if (answer === 'unknown' || place === undefined || 'named' in place) continue;
      for (const account of place.within) {
        const known = found.get(account) ?? { conditional: true, by: new Statements() };
        known.conditional &&= answer === 'conditional';
        known.by.add(said(rule));
        found.set(account, known);
      }
    }
    return [...found].flatMap(([account, { conditional, by }]) => {
      if (!conditional) this.administered.add(account);
      if (!this.isAsked(account)) return [];
      const node = this.estate.administratorOf(account);
      return [{ node, edge: this.edge(node.uid, 'admin', conditional, by) }];
    });
  }

  private add(rule: AccessRule): void {
    const actions = [...this.estate.actions.heldBy(rule.actions)].filter((action) => this.estate.meaning.has(action));
    if (actions.length === 0 || rule.resources.exclude.includes(null)) return;
    for (const pattern of rule.resources.include) {
      const place = pattern === null ? undefined : this.estate.placeOf(pattern, this.who);
      if (place !== undefined) this.addIn(rule, actions, pattern!, place);
    }
  }

  private addIn(rule: AccessRule, actions: readonly string[], pattern: string, place: Place): void {
    if ('named' in place) {
      for (const uid of place.named) this.addNamed(uid, actions);
      return;
    }
    // who may do everything somewhere is an administrator there, and nothing besides
    const within = place.within.filter((one) => !this.administered.has(one.split('/')[0]!) && this.isAsked(one.split('/')[0]!));
    if (within.length > 0) this.addBroad(rule, actions, pattern, { ...place, within });
  }

  private addNamed(uid: string, actions: readonly string[]): void {
    const account = this.estate.accountOfResource(uid);
    if (!this.isAsked(account) || this.administered.has(account)) return;
    if (this.named.size === MOST_NAMED && !this.named.has(uid)) return;
    const type = this.estate.typeOf(uid);
    const levels = this.named.get(uid) ?? new Map<Level, Set<string>>();
    for (const action of actions)
      for (const meaning of this.estate.meaning.get(action)!) {
        if (meaning.type !== type) continue;
        const asked = levels.get(meaning.level) ?? new Set();
        levels.set(meaning.level, asked.add(action));
      }
    if (levels.size > 0) this.named.set(uid, levels);
  }

  private addBroad(rule: AccessRule, actions: readonly string[], pattern: string, place: Exclude<Place, { named: unknown }>): void {
    const { access, provider } = this.estate;
    const apart = place.within.flatMap((one) => access.apartIn(one)).slice(0, MOST_APART);
    for (const action of actions) {
      const left = whatIsLeftOf(access, this.held, rule, action, pattern, place);
      if (left === undefined) continue;
      if (left.only !== null) {
        // what a boundary admits of it, where that is less than this
        for (const part of left.only) {
          const inner = part === pattern ? undefined : this.estate.placeOf(part, this.who);
          if (inner !== undefined) this.addIn({ ...rule, resources: { include: [part], exclude: [] } }, [action], part, inner);
        }
        continue;
      }
      const types = new Set(this.estate.meaning.get(action)!.map(({ type }) => type));
      const own = apart.filter((uid) => types.has(this.estate.typeOf(uid)));
      for (const uid of own) this.addNamed(uid, [action]);
      const except = [...new Set([...left.except, ...own, ...(rule.resources.exclude as readonly string[])])].sort();
      const scope = { provider, within: place.within, pattern: place.pattern, except };
      for (const { type, level } of this.estate.meaning.get(action)!) {
        const key = JSON.stringify([level, left.conditional, scope]);
        const known = this.broad.get(key) ?? { scope, level, conditional: left.conditional, types: new Set(), by: new Statements() };
        known.types.add(type);
        known.by.add(said(rule));
        this.broad.set(key, known);
      }
    }
  }

  private namedEdges(): AccessEdge[] {
    const edges: AccessEdge[] = [];
    for (const [uid, levels] of this.named) {
      const weigh = this.estate.access.toward(this.who, uid);
      for (const level of LEVELS) {
        const best = bestOf(weigh, [...(levels.get(level) ?? [])]);
        if (best === undefined) continue;
        const by = new Statements();
        best.by.forEach((one) => by.add(one));
        edges.push({ ...this.edge(uid, level, best.answer === 'conditional', by), assumed: best.assumed.length > 0 });
      }
    }
    return edges;
  }

  private scopeEdge({ scope, level, conditional, types, by }: BroadGrant): { edge: AccessEdge; node: AccessNode } {
    const node = this.estate.scopeNode(level === 'assume' ? 'manage_access' : level, { ...scope, resource_types: [...types].sort() });
    return { node, edge: this.edge(node.uid, level, conditional, by) };
  }

  private edge(to: string, level: Level | 'admin', conditional: boolean, by: Statements): AccessEdge {
    const assumed = this.held.assumed.length > 0 || this.held.unseen.length > 0;
    const means =
      level === 'assume' ? ({ kind: 'may_assume', privilege: null } as const) : ({ kind: 'may_access', privilege: level } as const);
    const accounts = this.estate.accountsOf(this.who, to);
    return { ...means, from: this.from, to, conditional, assumed, by: by.list, way: null, accounts };
  }
}
