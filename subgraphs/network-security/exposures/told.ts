import type { Exposure, Hop, PortRange } from '../../../catalog/network/types.js';
import type { AssetFacts } from '../../../schema/facts.js';

const PORT = /^(tcp|udp)\/(\d+)$/;

/** How far the internet reaches a resource, as scanners have told; null where they have not. The facts may have come as JSON. */
export function toldExposure(facts: AssetFacts | null): Exposure | null {
  const told = Object.entries(facts?.['exposure'] ?? {});
  const of = (level: Exposure['exposure']) => told.filter(([, { value }]) => value === level);
  for (const exposure of ['public', 'restricted'] as const) {
    const open = of(exposure);
    if (open.length === 0) continue;
    const ports = open.flatMap(([opening]) => portOf(opening));
    return { exposure, ports, sources: [], path: open.map(([opening, fact]) => hopOf(opening, fact, 'allowed')) };
  }
  // that one port is closed says nothing of the others
  const closed = of('private').filter(([opening]) => opening === 'any');
  return closed.length === 0
    ? null
    : { exposure: 'private', ports: [], sources: [], path: closed.map(([opening, fact]) => hopOf(opening, fact, 'stopped')) };
}

function portOf(opening: string): PortRange[] {
  const [, protocol, port] = PORT.exec(opening) ?? [];
  return protocol === undefined ? [] : [{ protocol, from: Number(port), to: Number(port) }];
}

const hopOf = (opening: string, { source, rule_id, at }: AssetFacts[string][string], outcome: Hop['outcome']): Hop => ({
  kind: 'scanner',
  resource_uid: null,
  rule: rule_id,
  outcome,
  reason: `${source} ${outcome === 'allowed' ? 'found' : 'did not find'} it open to the internet${opening === 'any' ? '' : ` at ${opening}`} (${new Date(at).toISOString()})`,
});
