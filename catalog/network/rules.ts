import { LAST_PORT, actionOf, isUnsure, portRange, protocolOf } from '../cel/firewall/traffic-rule.js';
import { blocks, flag, int, items, text, type Plain } from '../cel/read.js';
import { valuesAt } from '../inventory.js';
import { parseBlocks } from './address.js';
import type { RuleReading } from './table.js';
import type { Peer, Rule } from './types.js';

/** The one name of a group, by what a rule calls it. */
export type GroupName = (value: string) => string | undefined;

interface Reading {
  root: Plain;
  block: Plain;
  layer: Plain;
}

function values({ root, block, layer }: Reading, paths: readonly string[]): unknown[] {
  return paths.flatMap((path) => {
    if (path.startsWith('^')) return valuesAt(root, path.slice(1).split('.'));
    const found = valuesAt(layer, path.split('.'));
    return found.length > 0 || layer === block ? found : valuesAt(block, path.split('.'));
  });
}

const first = (reading: Reading, paths: readonly string[]): unknown => values(reading, paths).find((value) => value !== '');

/** The rules of one resource. @param owner uid of the filter that they are of; @param group names groups alike */
export function readRules(uid: string, owner: string, root: Plain, readings: readonly RuleReading[], group: GroupName): Rule[] {
  return readings.flatMap((how) => {
    const own = how.each === undefined ? [root] : valuesAt(root, how.each.split('.')).flatMap(blocks);
    return own.flatMap((block, order) => {
      const layers = how.layers.flatMap((path) => valuesAt(block, path.split('.')).flatMap(blocks));
      return (layers.length > 0 ? layers : [block]).flatMap((layer) => readRule(uid, owner, { root, block, layer }, order, how, group));
    });
  });
}

function readRule(uid: string, owner: string, reading: Reading, order: number, how: RuleReading, group: GroupName): Rule[] {
  const disabled = how.disabled === undefined ? undefined : first(reading, [how.disabled]);
  if (flag(disabled) === true) return [];
  const written = typeof how.direction === 'string' ? how.direction : first(reading, [how.direction.path]);
  const direction = typeof how.direction === 'string' ? how.direction : directionOf(written, how.direction);
  const act = typeof how.action === 'string' ? how.action : first(reading, [how.action.path]);
  const action = /^goto_next$/i.test(text(act) ?? '') ? 'next' : actionOf(act);
  const side = how[direction];
  const priority = how.priority === 'order' ? order : how.priority === undefined ? undefined : int(first(reading, [how.priority]));
  const common = {
    uid,
    label: text(first(reading, how.label)) ?? '',
    direction,
    action,
    // a deny goes before an allow of the same priority
    priority: (priority ?? how.default_priority) * 2 + (action === 'allow' ? 1 : 0),
    unsure: isUnsure(written, act, disabled),
    peers: peersOf(reading, how, side, owner, group),
    ...(how.stateless !== undefined && flag(first(reading, [how.stateless])) === true ? { stateless: true } : {}),
    ...targetsOf(reading, how, group),
  } as const;
  return protocolsOf(reading, how).flatMap((protocol) =>
    portsOf(reading, how, protocol).map((range) => ({ ...common, protocol, ...range })),
  );
}

function directionOf(written: unknown, how: Exclude<RuleReading['direction'], string>): Rule['direction'] {
  const word = text(written)?.toLowerCase();
  return word === undefined ? how.absent : word === how.egress ? 'egress' : 'ingress';
}

function protocolsOf(reading: Reading, how: RuleReading): (string | undefined)[] {
  const named = how.protocol_blocks.filter((name) => blocks(reading.block[name]).length > 0);
  if (named.length > 0) return named;
  const value = first(reading, how.protocol);
  const protocol = value === undefined ? 'any' : protocolOf(value);
  return [protocol === '58' || protocol === 'icmpv6' ? 'icmp' : protocol === 'icmp_tcp_udp' ? 'any' : protocol];
}

function portsOf(reading: Reading, how: RuleReading, protocol: string | undefined): { from: number | undefined; to: number | undefined }[] {
  const everything = [{ from: 0, to: LAST_PORT }];
  if (protocol === 'any' || protocol === 'icmp') return everything;
  const ranges = values(reading, how.ranges)
    .flatMap((value) => items(value))
    .map((range) => {
      const { from, to } = portRange(range);
      return { from, to };
    });
  if (ranges.length > 0) return ranges;
  const [from, to] = [first(reading, how.from), first(reading, how.to)];
  if (from === undefined && to === undefined) return everything;
  return [{ from: int(from), to: to === undefined ? int(from) : int(to) }];
}

function peersOf(reading: Reading, how: RuleReading, side: RuleReading['ingress'], owner: string, group: GroupName): Peer[] {
  const peers: Peer[] = values(reading, side.blocks).map((value) => peerOf(value, side.members.length > 0, group));
  const shared = new Set(side.blocks);
  for (const value of values(
    reading,
    side.members.filter((path) => !shared.has(path)),
  ))
    peers.push(memberOf(value, group));
  for (const value of values(reading, side.tags))
    peers.push(text(value) === undefined ? { kind: 'unknown' } : { kind: 'member', of: text(value)! });
  if (values(reading, side.others).length > 0) peers.push({ kind: 'unknown' });
  if (how.self !== undefined && flag(first(reading, [how.self])) === true) peers.push({ kind: 'member', of: owner });
  if (how.between !== undefined) {
    const [from, to] = how.between.map((path) => text(first(reading, [path])));
    peers.push(
      from === undefined || to === undefined
        ? { kind: 'unknown' }
        : from === '0.0.0.0' && to === from
          ? { kind: 'named', name: 'AzureServices' }
          : { kind: 'block', block: `${from}-${to}` },
    );
  }
  return peers.length === 0 && how.everybody ? [{ kind: 'block', block: '*' }] : peers;
}

function peerOf(value: unknown, mayBeGroup: boolean, group: GroupName): Peer {
  const word = text(value);
  if (word === undefined) return mayBeGroup ? memberOf(value, group) : { kind: 'unknown' };
  if (parseBlocks(word).length > 0) return { kind: 'block', block: word };
  if (mayBeGroup && group(word) !== undefined) return memberOf(word, group);
  // a text with the marks of an address that is none admits nobody
  return /^[\da-f.:/]+$/i.test(word) ? { kind: 'block', block: word } : { kind: 'named', name: word };
}

function memberOf(value: unknown, group: GroupName): Peer {
  const of = typeof value === 'string' ? (group(value) ?? text(value)) : undefined;
  return of === undefined ? { kind: 'unknown' } : { kind: 'member', of };
}

function targetsOf(reading: Reading, how: RuleReading, group: GroupName): { targets?: string[] } {
  const targets = values(reading, how.targets).map((value) => (typeof value === 'string' ? (group(value) ?? value) : ''));
  return targets.length > 0 ? { targets } : {};
}
