import { covers, isRouted, minus, overlaps, parseBlocks, type Block } from './address.js';
import { EVERY_PORT, PortDecisions, intersect, unite, type Decision, type Ranges } from './ports.js';
import type { Flow, Maybe, Peer, Rule } from './types.js';

/** Who sends, or who is sent to. */
export interface Party {
  blocks: readonly Block[];
  /** Whether each of the blocks is meant as a whole, or some address of them. */
  exact: boolean;
  /** Groups, tags and service accounts that it has. */
  members: { has(name: string): Maybe };
  /** Names of address sets that it is in; undefined for those that nothing tells. */
  named: (name: string) => Maybe;
}

const isWhole = ({ version, first, last }: Block): boolean => last - first + 1n === 1n << (version === 4 ? 32n : 128n);

/** Blocks without others. Who is everybody is not kept out by blocks that the internet does not route. */
const without = (blocks: readonly Block[], except: readonly string[]): readonly Block[] =>
  except
    .flatMap(parseBlocks)
    .filter(isRouted)
    .reduce((left, other) => left.flatMap((block) => minus(block, other)), blocks);

const parsed = new WeakMap<Peer, readonly Block[]>();

function blocksOf(peer: Extract<Peer, { kind: 'block' }>): readonly Block[] {
  let blocks = parsed.get(peer);
  if (blocks === undefined) parsed.set(peer, (blocks = without(parseBlocks(peer.block), peer.except ?? [])));
  return blocks;
}

function matchesPeer(peer: Peer, party: Party): Maybe {
  if (peer.kind === 'unknown') return undefined;
  if (peer.kind === 'member') return party.members.has(peer.of);
  if (peer.kind === 'named') return party.named(peer.name);
  const blocks = blocksOf(peer);
  if (party.blocks.length === 0) return blocks.length === 0 ? false : blocks.some(isWhole) || undefined;
  if (party.blocks.every((inner) => blocks.some((outer) => covers(outer, inner)))) return true;
  if (party.exact) return party.blocks.some((inner) => blocks.some((outer) => covers(outer, inner)));
  return party.blocks.some((inner) => blocks.some((outer) => overlaps(outer, inner))) ? undefined : false;
}

export const any = (answers: readonly Maybe[]): Maybe => (answers.includes(true) ? true : answers.includes(undefined) ? undefined : false);
export const all = (answers: readonly Maybe[]): Maybe => (answers.includes(false) ? false : answers.includes(undefined) ? undefined : true);

const matchesProtocol = (rule: Rule, protocol: string): Maybe =>
  rule.protocol === undefined ? undefined : rule.protocol === 'any' || rule.protocol === protocol;

function matchesPort(rule: Rule, port: number | null): Maybe {
  if (port === null) return true;
  if (rule.from === undefined || rule.to === undefined) return undefined;
  return rule.from <= port && port <= rule.to;
}

function matchesParty(rule: Rule, party: Party, self: ReadonlySet<string>): Maybe {
  const target = rule.targets === undefined || rule.targets.some((name) => self.has(name));
  return all([target, !rule.unsure || undefined, target ? any(rule.peers.map((peer) => matchesPeer(peer, party))) : false]);
}

/** Rules of one direction, sorted by priority, and what happens to packets that none of them names; undefined where nothing tells. */
export interface Filter {
  uid: string | null;
  rules: readonly Rule[];
  byDefault: Decision | undefined;
}

/** What filters say to a packet. */
export interface Verdict {
  answer: Maybe;
  /** The filter that decides, or that leaves it open. */
  filter: Filter | undefined;
  /** The rule of it; undefined where its default decides. */
  rule: Rule | undefined;
}

function decide(
  { rules, byDefault }: Filter,
  flow: Flow,
  party: Party,
  self: ReadonlySet<string>,
): { decision: Decision | undefined; rule?: Rule } {
  const doubts: Rule[] = [];
  const agree = (decision: Decision | undefined): boolean => doubts.every((rule) => rule.action === decision && !rule.unsure);
  for (const rule of rules) {
    const traffic = all([matchesProtocol(rule, flow.protocol), matchesPort(rule, flow.port)]);
    const whole = traffic === false ? false : all([traffic, matchesParty(rule, party, self)]);
    if (whole === false) continue;
    if (whole === true) return agree(rule.action) ? { decision: rule.action, rule } : { decision: undefined, rule: doubts[0]! };
    // one rule of each action is enough to see whether those in doubt agree
    if (doubts.length === 0 || agree(doubts[0]!.action)) doubts[Math.min(doubts.length, 1)] = rule;
  }
  return agree(byDefault) ? { decision: byDefault } : { decision: undefined, rule: doubts[0] };
}

/**
 * Asks filters in their order; one whose decision is `next` hands the packet on.
 * @param party the other side
 * @param self groups and tags of the workload behind the filters
 */
export function judge(chain: readonly Filter[], flow: Flow, party: Party, self: ReadonlySet<string>): Verdict {
  for (const filter of chain) {
    const { decision, rule } = decide(filter, flow, party, self);
    if (decision !== 'next') return { answer: decision === undefined ? undefined : decision === 'allow', filter, rule };
  }
  return { answer: false, filter: chain.at(-1), rule: undefined };
}

/** Ports that are surely open, and those that may be. */
export interface OpenPorts {
  sure: Ranges;
  perhaps: Ranges;
}

/** The ports of a protocol that filters open to a party; see `judge` for the arguments. */
export function openPorts(chain: readonly Filter[], protocol: string, party: Party, self: ReadonlySet<string>): OpenPorts {
  return chain.reduceRight<OpenPorts>((after, filter) => portsOf(filter, after, protocol, party, self), { sure: [], perhaps: [] });
}

function portsOf({ rules, byDefault }: Filter, after: OpenPorts, protocol: string, party: Party, self: ReadonlySet<string>): OpenPorts {
  const asked = rules.flatMap(({ from, to }) => (from === undefined || to === undefined ? [] : [[from, to] as const]));
  const [sure, perhaps] = [new PortDecisions(asked), new PortDecisions(asked)];
  for (const rule of rules) {
    const match = all([matchesProtocol(rule, protocol), matchesParty(rule, party, self)]);
    if (match === false) continue;
    const ranged = rule.from !== undefined && rule.to !== undefined;
    const [from, to] = ranged ? [rule.from!, rule.to!] : EVERY_PORT[0]!;
    // what may match closes for one side of the answer and opens for the other
    const known = match === true && ranged;
    if (known || rule.action !== 'allow') sure.decide(from, to, known ? rule.action : 'deny');
    if (known || rule.action !== 'deny') perhaps.decide(from, to, known ? rule.action : 'allow');
  }
  sure.decide(0, EVERY_PORT[0]![1], byDefault ?? 'deny');
  perhaps.decide(0, EVERY_PORT[0]![1], byDefault ?? 'allow');
  return {
    sure: unite(sure.ranges('allow'), intersect(sure.ranges('next'), after.sure)),
    perhaps: unite(perhaps.ranges('allow'), intersect(perhaps.ranges('next'), after.perhaps)),
  };
}
