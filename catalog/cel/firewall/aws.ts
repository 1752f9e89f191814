import { blocks, flag, int, items, text, type Plain } from '../read.js';
import { actionOf, isUnsure, ports, protocolOf, type Reader, type Readers, type TrafficRule } from './traffic-rule.js';

const awsGroup: Reader = (r) =>
  (['ingress', 'egress'] as const).flatMap((direction) =>
    blocks(r[direction]).map((rule) => {
      const protocol = protocolOf(rule['protocol']);
      return {
        direction,
        action: 'allow' as const,
        protocol,
        ...ports(protocol, rule['from_port'], rule['to_port']),
        sources: [...items(rule['cidr_blocks']), ...items(rule['ipv6_cidr_blocks'])],
        description: text(rule['description']),
      };
    }),
  );

const awsGroupRule: Reader = (r) => {
  const protocol = protocolOf(r['protocol']);
  return [
    {
      direction: r['type'] === 'egress' ? 'egress' : 'ingress',
      unsure: isUnsure(r['type']),
      action: 'allow',
      protocol,
      ...ports(protocol, r['from_port'], r['to_port']),
      sources: [...items(r['cidr_blocks']), ...items(r['ipv6_cidr_blocks'])],
      description: text(r['description']),
    },
  ];
};

const awsVpcRule =
  (direction: TrafficRule['direction']): Reader =>
  (r) => {
    const protocol = protocolOf(r['ip_protocol']);
    return [
      {
        direction,
        action: 'allow',
        protocol,
        ...ports(protocol, r['from_port'], r['to_port']),
        sources: [...items(r['cidr_ipv4']), ...items(r['cidr_ipv6'])],
        description: text(r['description']),
      },
    ];
  };

const awsAclEntry = (rule: Plain, direction: TrafficRule['direction'], action: unknown, priority: unknown): TrafficRule => {
  const protocol = protocolOf(rule['protocol']);
  return {
    direction,
    action: actionOf(action),
    unsure: isUnsure(action),
    protocol,
    ...ports(protocol, rule['from_port'], rule['to_port']),
    sources: [...items(rule['cidr_block']), ...items(rule['ipv6_cidr_block'])],
    priority: int(priority),
  };
};

const awsAcl: Reader = (r) =>
  (['ingress', 'egress'] as const).flatMap((direction) =>
    blocks(r[direction]).map((rule) => awsAclEntry(rule, direction, rule['action'], rule['rule_no'])),
  );

export const awsReaders: Readers = {
  aws_security_group: awsGroup,
  aws_default_security_group: awsGroup,
  aws_security_group_rule: awsGroupRule,
  aws_vpc_security_group_ingress_rule: awsVpcRule('ingress'),
  aws_vpc_security_group_egress_rule: awsVpcRule('egress'),
  aws_network_acl: awsAcl,
  aws_network_acl_rule: (r) => [awsAclEntry(r, flag(r['egress']) === true ? 'egress' : 'ingress', r['rule_action'], r['rule_number'])],
  aws_default_network_acl: awsAcl,
};
