import { isItem, valuesAt, type Item } from '../../cloud/item.js';

const PORTS = /^(\d+)(?:-(\d+))?$/;
const texts = (values: readonly unknown[]): string[] => values.filter((value): value is string => typeof value === 'string');

/** Ingress and egress, or what is allowed, of a firewall as Terraform has it: ScoutSuite keeps rules by protocol and port. */
export function scoutRules(type: string, resource: Item): Record<string, unknown> {
  if (type === 'aws_security_group') return { ingress: awsRules(resource, 'ingress'), egress: awsRules(resource, 'egress') };
  if (type === 'google_compute_firewall')
    return { allow: trafficOf(resource['allowed_traffic']), deny: trafficOf(resource['denied_traffic']) };
  return {};
}

function awsRules(resource: Item, direction: 'ingress' | 'egress'): Record<string, unknown>[] {
  const [protocols] = valuesAt(resource, `rules.${direction}.protocols`);
  if (!isItem(protocols)) return [];
  return Object.entries(protocols).flatMap(([protocol, held]) => {
    const [ports] = valuesAt(held, 'ports');
    if (!isItem(ports)) return [];
    return Object.entries(ports).map(([port, peers]) => {
      const [, from, to] = PORTS.exec(port) ?? [];
      const every = protocol === 'ALL';
      const blocks = texts(valuesAt(peers, 'cidrs.CIDR'));
      return {
        protocol: every ? '-1' : protocol.toLowerCase(),
        from_port: every || from === undefined ? 0 : Number(from),
        to_port: every ? 0 : to === undefined ? Number(from ?? 65_535) : Number(to),
        cidr_blocks: blocks.filter((block) => !block.includes(':')),
        ipv6_cidr_blocks: blocks.filter((block) => block.includes(':')),
        security_groups: texts(valuesAt(peers, 'security_groups.GroupId')),
        prefix_list_ids: [],
        description: null,
      };
    });
  });
}

/** `{tcp: ["22"]}`, or `{tcp: {ports: ["22"]}}`. */
function trafficOf(traffic: unknown): Record<string, unknown>[] {
  if (!isItem(traffic)) return [];
  return Object.entries(traffic).map(([protocol, held]) => {
    const ports = Array.isArray(held) ? (held as unknown[]) : valuesAt(held, 'ports');
    const named = texts(ports).filter((port) => port !== '*' && port !== '0-65535');
    return { protocol: protocol === '*' ? 'all' : protocol, ports: named };
  });
}
