import { block, blocks, items, text, type Plain } from '../read.js';
import { actionOf, isUnsure, ports, protocolOf, type Readers, type TrafficRule } from './traffic-rule.js';

const ibmRule = (rule: Plain, sourceKey: string, priority?: number): TrafficRule[] => {
  const direction = /^(?:outbound|egress)$/i.test(text(rule['direction']) ?? '') ? 'egress' : 'ingress';
  const source = rule[direction === 'ingress' ? sourceKey : sourceKey === 'source' ? 'destination' : sourceKey];
  const common = {
    direction,
    action: actionOf(rule['action'] ?? 'allow'),
    unsure: isUnsure(rule['direction'], rule['action']),
    // a rule that names neither addresses nor a group admits every address
    sources: source === undefined || source === null ? (rule['remote_group_id'] == null ? ['0.0.0.0/0'] : []) : items(source),
    priority,
  } as const;
  const nested = (['tcp', 'udp', 'icmp'] as const).filter((name) => rule[name] !== undefined && rule[name] !== null);
  if (nested.length > 0) {
    return nested.map((protocol) => {
      const options = block(rule[protocol]) ?? {};
      return { ...common, protocol, ...ports(protocol, options['port_min'], options['port_max']) };
    });
  }
  const protocol = protocolOf(rule['protocol'] ?? 'all');
  return [
    {
      ...common,
      protocol,
      ...ports(protocol, rule['port_min'] ?? rule['port_range_min'], rule['port_max'] ?? rule['port_range_max']),
    },
  ];
};

export const ibmReaders: Readers = {
  ibm_is_security_group_rule: (r) => ibmRule(r, 'remote'),
  ibm_is_security_group: (r) => blocks(r['rules']).flatMap((rule) => ibmRule(rule, 'remote')),
  ibm_security_group_rule: (r) => ibmRule(r, 'remote_ip'),
  ibm_is_network_acl: (r) => blocks(r['rules']).flatMap((rule, i) => ibmRule(rule, 'source', i)),
  ibm_is_network_acl_rule: (r) => ibmRule(r, 'source'),
};
