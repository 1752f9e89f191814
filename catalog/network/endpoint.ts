import { leavesOpen } from '../../schema/unknown-paths.js';
import { flag, text } from '../cel/read.js';
import { valuesAt } from '../inventory.js';
import { judge, type Party } from './filter.js';
import type { NetworkModel } from './model.js';
import type { Place } from './place.js';
import { hop } from './routes.js';
import type { Hop, Maybe, Rule } from './types.js';

/** The rules of an endpoint's own list of addresses; undefined where everyone gets in. */
export function endpointRules(model: NetworkModel, { uid, part }: Place): readonly Rule[] | undefined {
  const how = part.how.public!;
  const listed = how.blocks
    .flatMap((path) => valuesAt(part.asset.configuration, path.split('.')))
    .flatMap((value) => text(value)?.split(',') ?? [undefined]);
  const rules = listed.map((block): Rule => ({
    uid,
    label: block ?? '',
    direction: 'ingress',
    action: 'allow',
    protocol: 'any',
    from: 0,
    to: 65_535,
    peers: [block === undefined ? { kind: 'unknown' } : { kind: 'block', block }],
    priority: 0,
  }));
  const own = [...rules, ...model.rulesOf(uid)];
  return own.length === 0 && how.unlisted === 'everyone' ? undefined : own;
}

/** Whether the public switch of an endpoint or load balancer is on. */
export function switchOf({ part: { asset, how } }: Place): Maybe {
  const { path, on = [true], absent } = how.public ?? {};
  if (path === undefined) return absent;
  const [value] = valuesAt(asset.configuration, path.split('.'));
  if (value === undefined) return leavesOpen(asset, path) ? undefined : absent;
  if (typeof value === 'string' && text(value) === undefined) return undefined;
  const plain = flag(value) ?? value;
  return on.includes(plain as string | boolean);
}

/** The hops from public addresses to a managed endpoint: its switch, and its list of addresses. */
export function endpointHops(model: NetworkModel, place: Place, party: Party, version: 4 | 6): Hop[] {
  const open = version === 6 ? false : switchOf(place);
  const first = hop(
    'endpoint',
    place.uid,
    open,
    open === true
      ? 'Its public endpoint is on.'
      : open === false
        ? 'It has no public endpoint.'
        : 'The inventory does not show whether its public endpoint is on.',
  );
  const rules = endpointRules(model, place);
  if (rules === undefined) return [first];
  const { answer, rule } = judge([{ uid: place.uid, rules, byDefault: 'deny' }], { protocol: 'tcp', port: null }, party, new Set());
  return [
    first,
    hop(
      'firewall',
      rule?.uid ?? place.uid,
      answer,
      answer === true ? 'Its list of addresses admits it.' : 'Its list of addresses does not admit it.',
      rule?.label ?? null,
    ),
  ];
}
