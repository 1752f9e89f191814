import { blocks, int, items, text, type Plain } from '../read.js';
import { actionOf, isUnsure, portRange, protocolOf, type Readers, type TrafficRule } from './traffic-rule.js';

const azureRule = (rule: Plain): TrafficRule[] => {
  const ranges = [...items(rule['destination_port_range']), ...items(rule['destination_port_ranges'])];
  return (ranges.length > 0 ? ranges : ['*']).map((range) => ({
    direction: /^outbound$/i.test(text(rule['direction']) ?? '') ? 'egress' : 'ingress',
    action: actionOf(rule['access']),
    unsure: isUnsure(rule['direction'], rule['access']),
    protocol: protocolOf(rule['protocol']),
    ...portRange(range),
    sources: [...items(rule['source_address_prefix']), ...items(rule['source_address_prefixes'])],
    description: text(rule['description']),
    priority: int(rule['priority']),
  }));
};

export const azureReaders: Readers = {
  azurerm_network_security_group: (r) => blocks(r['security_rule']).flatMap(azureRule),
  azurerm_network_security_rule: azureRule,
};
