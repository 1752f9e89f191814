import { blocks, int, items, text, type Plain } from '../read.js';
import { ALL_PORTS, actionOf, isUnsure, portRange, protocolOf, type Reader, type Readers, type TrafficRule } from './traffic-rule.js';

const alicloudRule: Reader = (r) => {
  const protocol = protocolOf(r['ip_protocol']);
  const named = [...items(r['cidr_ip']), ...items(r['ipv6_cidr_ip'])];
  const grouped = r['source_security_group_id'] !== undefined || r['prefix_list_id'] !== undefined;
  return [
    {
      direction: text(r['type']) === 'egress' ? 'egress' : 'ingress',
      action: actionOf(r['policy']),
      unsure: isUnsure(r['type'], r['policy']),
      protocol,
      ...(protocol === 'any' || r['port_range'] === undefined ? ALL_PORTS : portRange(r['port_range'])),
      sources: named.length > 0 || grouped ? named : ['0.0.0.0/0'],
      description: text(r['description']),
      priority: int(r['priority']),
    },
  ];
};

const alicloudAclEntry = (entry: Plain, direction: TrafficRule['direction'], priority: number): TrafficRule => ({
  direction,
  action: actionOf(entry['policy']),
  unsure: isUnsure(entry['policy']),
  protocol: protocolOf(entry['protocol'] ?? 'all'),
  ...(entry['port'] === undefined ? ALL_PORTS : portRange(entry['port'])),
  sources: items(entry[direction === 'ingress' ? 'source_cidr_ip' : 'destination_cidr_ip']),
  description: text(entry['description']),
  priority,
});

/** Entries of an Alibaba Cloud network ACL are asked in the order that they are written in. */
const alicloudAcl: Reader = (r) => [
  ...[...blocks(r['ingress_acl_entries']), ...blocks(r['ingress'])].map((entry, i) => alicloudAclEntry(entry, 'ingress', i)),
  ...[...blocks(r['egress_acl_entries']), ...blocks(r['egress'])].map((entry, i) => alicloudAclEntry(entry, 'egress', i)),
];

export const alicloudReaders: Readers = {
  alicloud_security_group_rule: alicloudRule,
  alicloud_network_acl: alicloudAcl,
  alicloud_network_acl_entries: alicloudAcl,
  alicloud_ecs_security_group_rule: alicloudRule,
  alicloud_vpc_network_acl: alicloudAcl,
  alicloud_vpc_network_acl_entries: alicloudAcl,
};
