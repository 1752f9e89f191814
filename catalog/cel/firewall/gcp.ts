import { block, blocks, flag, int, items, text, type Plain } from '../read.js';
import { ALL_PORTS, actionOf, isUnsure, portRange, protocolOf, type Reader, type Readers, type TrafficRule } from './traffic-rule.js';

const gcpLayers = (layers: Plain[], protocolKey: string, rule: Omit<TrafficRule, 'protocol' | 'from' | 'to'>): TrafficRule[] =>
  layers.flatMap((layer) => {
    const protocol = protocolOf(layer[protocolKey]);
    const ranges = items(layer['ports']);
    return (ranges.length > 0 ? ranges.map(portRange) : [ALL_PORTS]).map((range) => ({ ...rule, protocol, ...range }));
  });

const gcpFirewall: Reader = (r) => {
  if (flag(r['disabled']) === true) return [];
  const direction = /^egress$/i.test(text(r['direction']) ?? '') ? 'egress' : 'ingress';
  const ranges = items(r[direction === 'ingress' ? 'source_ranges' : 'destination_ranges']);
  const narrowed = ['source_tags', 'source_service_accounts'].some((key) => r[key] !== undefined && r[key] !== null);
  // a rule that names no source admits every address
  const sources = ranges.length > 0 || narrowed ? ranges : ['0.0.0.0/0'];
  const unsure = isUnsure(r['direction'], r['disabled']);
  const common = { direction, sources, unsure, description: text(r['description']), priority: int(r['priority']) } as const;
  return [
    ...gcpLayers(blocks(r['allow']), 'protocol', { ...common, action: 'allow' }),
    ...gcpLayers(blocks(r['deny']), 'protocol', { ...common, action: 'deny' }),
  ];
};

const gcpPolicyRule: Reader = (r) => {
  const match = block(r['match']);
  if (flag(r['disabled']) === true || match === undefined) return [];
  const config = block(match['config']) ?? match;
  const direction = /^egress$/i.test(text(r['direction']) ?? '') ? 'egress' : 'ingress';
  const sources = items(config[direction === 'ingress' ? 'src_ip_ranges' : 'dest_ip_ranges']);
  const layers = [...blocks(config['layer4_configs']), ...blocks(config['layer4_config'])];
  const action = actionOf(r['action']);
  return gcpLayers(layers.length > 0 ? layers : [{ ip_protocol: 'all' }], 'ip_protocol', {
    direction,
    action,
    sources,
    unsure: isUnsure(r['direction'], r['disabled'], r['action']),
    description: text(r['description']),
    priority: int(r['priority']),
  });
};

const gcpPolicy: Reader = (r) => blocks(r['rule']).flatMap(gcpPolicyRule);

export const gcpReaders: Readers = {
  google_compute_firewall: gcpFirewall,
  google_compute_firewall_policy_rule: gcpPolicyRule,
  google_compute_network_firewall_policy_rule: gcpPolicyRule,
  google_compute_region_network_firewall_policy_rule: gcpPolicyRule,
  google_compute_organization_security_policy_rule: gcpPolicyRule,
  google_compute_firewall_policy_with_rules: gcpPolicy,
  google_compute_network_firewall_policy_with_rules: gcpPolicy,
  google_compute_region_network_firewall_policy_with_rules: gcpPolicy,
};
