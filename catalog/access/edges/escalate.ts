import { matchesPattern } from '../../cel/policy.js';
import { decide } from '../decide.js';
import { escalations, type Escalation } from '../escalations.js';
import { givenAnywhere, type Held } from '../held.js';
import { covers, type Place } from '../place.js';
import type { Answer, Decision, Said } from '../types.js';
import { Statements, type AccessEstate } from './estate.js';
import type { RunsAs } from './runs.js';
import type { AccessEdge, AccessNode } from './types.js';

/** Identities that one way leads to at most, and those that are told one by one where any may be won. */
const MOST_WON = 50;
const FEW = 20;

/** A way to more rights that is open to somebody. */
export interface Way {
  readonly escalation: Escalation;
  readonly answer: Exclude<Answer, 'denied'>;
  /** The accounts whose administrator it makes, and whether it does for sure. */
  readonly accounts: readonly { account: string; sure: boolean }[];
  /** The identities whose rights it wins, as far as they are told. */
  readonly won: readonly string[];
  /** The statements that give what it needs. */
  readonly by: readonly Said[];
}

/** What ways to more rights lead to. */
export interface Won {
  edges: AccessEdge[];
  nodes: AccessNode[];
}

type Given = Decision & { resources: string[] };

const SURE: readonly Answer[] = ['denied', 'unknown', 'conditional', 'allowed'];
const leastSure = (answers: readonly Answer[]): Answer => SURE[Math.min(...answers.map((answer) => SURE.indexOf(answer)))]!;

/** Finds the known ways to more rights that are open to somebody, and whose rights they win. */
export class Escalations {
  private readonly ways: readonly Escalation[];
  private readonly won = new Map<string, readonly string[]>();

  /** @param administers whether an identity may do everything in its account, for sure */
  constructor(
    private readonly estate: AccessEstate,
    private readonly runs: RunsAs,
    private readonly administers: (uid: string) => boolean,
  ) {
    this.ways = escalations().get(estate.provider) ?? [];
  }

  /** The ways that are open to somebody, those that may be included. */
  open(who: string, held: Held): Way[] {
    const own = this.estate.heldBy(who);
    const given = new Map<string, Given>();
    const on = (action: string): Given => {
      const known = given.get(action) ?? givenAnywhere(held, action);
      given.set(action, known);
      return known;
    };
    return this.ways.flatMap((escalation): Way[] => {
      const { needs, to, passes } = escalation;
      // what is not known yet may be any action
      if (!needs.every((action) => own.has(action))) return [];
      const answers = needs.map(on);
      const answer = leastSure(answers.map((one) => one.answer));
      if (answer === 'denied') return [];
      const by = unique(answers.flatMap((one) => one.by));
      const [{ resources }] = answers as [Given];
      const way = { escalation, answer, by, accounts: [], won: [] };
      if (to === 'administrator') {
        const accounts = this.accountsOf(who, held, resources);
        return accounts.length === 0 ? [] : [{ ...way, accounts }];
      }
      const places = passes === undefined ? resources : on(passes.action).resources;
      const won = passes === undefined ? this.named(who, escalation, places) : this.passed(who, escalation, places);
      // of nobody who could be won the way leads nowhere, as far as the inventory shows
      return won.length === 0 && !places.some((pattern) => this.isBroad(pattern, who)) ? [] : [{ ...way, won }];
    });
  }

  of(who: string, held: Held): Won {
    const won = new Map<string, { way: string; conditional: boolean; by: Statements }>();
    const nodes = new Map<string, AccessNode>();
    for (const { escalation, answer, accounts, won: identities, by } of this.open(who, held)) {
      if (answer === 'unknown') continue;
      const ends = accounts.map(({ account, sure }) => {
        const node = this.estate.administratorOf(account);
        nodes.set(node.uid, node);
        return { to: node.uid, sure };
      });
      for (const { to, sure } of [...ends, ...identities.map((uid) => ({ to: uid, sure: true }))]) {
        const conditional = answer === 'conditional' || !sure;
        const known = won.get(to);
        // of several ways the surest is told
        if (known !== undefined && (!known.conditional || conditional)) continue;
        const statements = new Statements();
        for (const said of by) statements.add(said);
        won.set(to, { way: escalation.id, conditional, by: statements });
      }
    }
    const assumed = held.assumed.length > 0 || held.unseen.length > 0;
    const from = this.estate.sourceOf(who);
    const edges = [...won].map(([to, { way, conditional, by }]): AccessEdge => {
      const accounts = this.estate.accountsOf(who, to);
      return { kind: 'escalates_to', from, to, privilege: null, conditional, assumed, by: by.list, way, accounts };
    });
    return { edges, nodes: [...nodes.values()] };
  }

  private isBroad(pattern: string, who: string): boolean {
    const place = this.estate.placeOf(pattern, who);
    return place !== undefined && !('named' in place);
  }

  /** The accounts whose administrator an action makes: it must be given on the whole of one, or on something of who does it. */
  private accountsOf(who: string, held: Held, resources: readonly string[]): { account: string; sure: boolean }[] {
    const found = new Map<string, boolean>();
    const own = new Set([...held.call.principal, ...held.allows.flatMap(({ uid, via }) => [uid, ...via])]);
    for (const pattern of resources) {
      const place = this.estate.placeOf(pattern, who);
      if (place === undefined) continue;
      if (!('named' in place) && place.whole) for (const account of place.within) found.set(account, true);
      else if (this.estate.access.byTrust) {
        const account = this.estate.access.accountOf(who);
        const isOwn = 'named' in place ? place.named.some((uid) => own.has(uid)) : [...own].some((name) => matchesPattern(pattern, name));
        // all users, roles or policies of an account, of which none is its own
        if (isOwn || !('named' in place)) found.set(account, found.get(account) === true || isOwn);
      }
    }
    return [...found].map(([account, sure]) => ({ account, sure }));
  }

  /** Identities that are named by the resources of an action, or that the workloads act as which it names. */
  private named(who: string, { wins }: Escalation, resources: readonly string[]): string[] {
    return this.chosen(who, new Set(resources.flatMap((pattern) => this.identitiesIn(pattern, who, wins))));
  }

  /** Identities that may be passed to a service which they trust. */
  private passed(who: string, { passes }: Escalation, resources: readonly string[]): string[] {
    const { type, action, trusts } = passes!;
    const { access } = this.estate;
    return this.chosen(who, new Set(resources.flatMap((pattern) => this.identitiesIn(pattern, who, [type])))).filter(
      (uid) =>
        decide(access.toward(who, uid)(action)).answer !== 'denied' &&
        (trusts === undefined || decide(access.toward(`Service:${trusts}`, uid)('sts:AssumeRole')).answer !== 'denied'),
    );
  }

  /** The identities among what a pattern means, and those that its workloads act as; each pattern is looked up once. */
  private identitiesIn(pattern: string, who: string, types: readonly string[]): readonly string[] {
    const place = this.estate.placeOf(pattern, who);
    if (place === undefined) return [];
    const key = JSON.stringify([place, types]);
    const known = this.won.get(key);
    if (known !== undefined) return known;
    const uids = 'named' in place ? place.named.filter((uid) => types.includes(this.estate.typeOf(uid))) : this.inPlace(place, types);
    const identities = [...new Set(uids.flatMap((uid) => this.runs.of(uid)))];
    this.won.set(key, identities);
    return identities;
  }

  private inPlace({ within, pattern }: Extract<Place, { within: unknown }>, types: readonly string[]): string[] {
    const scope = { provider: this.estate.provider, within, pattern, resource_types: types, except: [] };
    return this.estate.model.ofTypes(types).filter((uid) => covers(scope, this.estate.model.resource(uid)!));
  }

  /** All of a few identities; of many those who are administrators. */
  private chosen(who: string, found: Set<string>): string[] {
    found.delete(who);
    const all = [...found].sort();
    return (all.length <= FEW ? all : all.filter((uid) => this.administers(uid))).slice(0, MOST_WON);
  }
}

const unique = (list: readonly Said[]): Said[] => [...new Map(list.map((one) => [`${one.resource_uid} ${one.statement}`, one])).values()];
