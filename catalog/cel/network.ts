import { isAnyCidr } from './cidr.js';
import { block, blocks, flag, int, items, text, type Plain } from './read.js';

/** One rule of something like a firewall. What the configuration leaves open (an unresolved reference) is undefined. */
export interface TrafficRule {
  direction: 'ingress' | 'egress';
  action: 'allow' | 'deny';
  /** `tcp`, `udp`, `icmp` ..., or `any`. */
  protocol: string | undefined;
  from: number | undefined;
  to: number | undefined;
  /** CIDRs and the providers' names of address ranges; empty where another group or tag is meant. */
  sources: (string | undefined)[];
  description?: string | undefined;
  /** Lower is asked first; undefined where the order does not matter. */
  priority?: number | undefined;
  /** Whether a reference decides its direction or action. */
  unsure?: boolean;
}

const LAST_PORT = 65_535;
const PROTOCOLS: Readonly<Record<string, string>> = {
  '-1': 'any',
  all: 'any',
  '*': 'any',
  any: 'any',
  '1': 'icmp',
  '6': 'tcp',
  '17': 'udp',
};

type Ports = Pick<TrafficRule, 'from' | 'to'>;
const ALL_PORTS: Ports = { from: 0, to: LAST_PORT };

const protocolOf = (value: unknown): string | undefined => {
  const name = text(value)?.toLowerCase();
  return name === undefined ? undefined : (PROTOCOLS[name] ?? name);
};
/** Whether any of the values is there and not resolved. */
const isUnsure = (...values: unknown[]): boolean => values.some((value) => typeof value === 'string' && text(value) === undefined);
const actionOf = (value: unknown): 'allow' | 'deny' => (/^(?:deny|drop|block|reject)$/i.test(text(value) ?? '') ? 'deny' : 'allow');

/** Ports of one text: `22`, `20-30`, `22/22`, `*`, `-1/-1`. */
function portRange(value: unknown): Ports {
  const range = text(value);
  if (range === undefined) return { from: undefined, to: undefined };
  if (['*', '-1/-1', '-1', 'any', 'all', ''].includes(range.toLowerCase())) return ALL_PORTS;
  const [first, second = first] = range.split(/[-/:]/);
  return { from: int(first), to: int(second) };
}

/** Ports of two numbers; all of them where the protocol has none or the numbers are not there. */
function ports(protocol: string | undefined, from: unknown, to: unknown): Ports {
  if (protocol === 'any' || protocol === 'icmp') return ALL_PORTS;
  if (from === undefined && to === undefined) return ALL_PORTS;
  return { from: int(from), to: int(to) ?? (to === undefined ? int(from) : undefined) };
}

type Reader = (r: Plain) => TrafficRule[];

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

const ociOptions = (options: Plain | undefined, nested: boolean): Ports => {
  const range = nested ? block(options?.['destination_port_range']) : options;
  return range === undefined || (range['min'] === undefined && range['max'] === undefined)
    ? ALL_PORTS
    : { from: int(range['min']), to: int(range['max']) };
};

const ociRule = (rule: Plain, direction: TrafficRule['direction'], nested: boolean): TrafficRule => {
  const protocol = protocolOf(rule['protocol']);
  const options = block(rule[protocol === 'udp' ? 'udp_options' : 'tcp_options']);
  const group = text(rule[direction === 'ingress' ? 'source_type' : 'destination_type']) === 'NETWORK_SECURITY_GROUP';
  return {
    direction,
    action: 'allow',
    unsure: isUnsure(rule['direction']),
    protocol,
    ...(protocol === 'tcp' || protocol === 'udp' ? ociOptions(options, nested) : ALL_PORTS),
    sources: group ? [] : items(rule[direction === 'ingress' ? 'source' : 'destination']),
    description: text(rule['description']),
  };
};

/** A rule whose protocol is not resolved and that has options of one is a rule of that protocol. */
const ociRules = (rule: Plain, direction: TrafficRule['direction'], nested: boolean): TrafficRule[] => {
  const named = [['tcp', 'tcp_options'] as const, ['udp', 'udp_options'] as const].filter(
    ([, options]) => block(rule[options]) !== undefined,
  );
  return protocolOf(rule['protocol']) === undefined && named.length > 0
    ? named.map(([protocol]) => ociRule({ ...rule, protocol }, direction, nested))
    : [ociRule(rule, direction, nested)];
};

const ociSecurityList: Reader = (r) => [
  ...blocks(r['ingress_security_rules']).flatMap((rule) => ociRules(rule, 'ingress', false)),
  ...blocks(r['egress_security_rules']).flatMap((rule) => ociRules(rule, 'egress', false)),
];

const ociGroupRule: Reader = (r) => ociRules(r, /^egress$/i.test(text(r['direction']) ?? '') ? 'egress' : 'ingress', true);

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

const READERS: Readonly<Record<string, Reader>> = {
  aws_security_group: awsGroup,
  aws_default_security_group: awsGroup,
  aws_security_group_rule: awsGroupRule,
  aws_vpc_security_group_ingress_rule: awsVpcRule('ingress'),
  aws_vpc_security_group_egress_rule: awsVpcRule('egress'),
  aws_network_acl: (r) =>
    (['ingress', 'egress'] as const).flatMap((direction) =>
      blocks(r[direction]).map((rule) => awsAclEntry(rule, direction, rule['action'], rule['rule_no'])),
    ),
  aws_network_acl_rule: (r) => [awsAclEntry(r, flag(r['egress']) === true ? 'egress' : 'ingress', r['rule_action'], r['rule_number'])],
  azurerm_network_security_group: (r) => blocks(r['security_rule']).flatMap(azureRule),
  azurerm_network_security_rule: azureRule,
  google_compute_firewall: gcpFirewall,
  google_compute_firewall_policy_rule: gcpPolicyRule,
  google_compute_network_firewall_policy_rule: gcpPolicyRule,
  google_compute_region_network_firewall_policy_rule: gcpPolicyRule,
  google_compute_organization_security_policy_rule: gcpPolicyRule,
  google_compute_firewall_policy_with_rules: gcpPolicy,
  google_compute_network_firewall_policy_with_rules: gcpPolicy,
  google_compute_region_network_firewall_policy_with_rules: gcpPolicy,
  oci_core_security_list: ociSecurityList,
  oci_core_default_security_list: ociSecurityList,
  oci_core_network_security_group_security_rule: ociGroupRule,
  alicloud_security_group_rule: alicloudRule,
  alicloud_network_acl: alicloudAcl,
  alicloud_network_acl_entries: alicloudAcl,
  ibm_is_security_group_rule: (r) => ibmRule(r, 'remote'),
  ibm_is_security_group: (r) => blocks(r['rules']).flatMap((rule) => ibmRule(rule, 'remote')),
  ibm_security_group_rule: (r) => ibmRule(r, 'remote_ip'),
  ibm_is_network_acl: (r) => blocks(r['rules']).flatMap((rule, i) => ibmRule(rule, 'source', i)),
  ibm_is_network_acl_rule: (r) => ibmRule(r, 'source'),
};
const ALIASES: Readonly<Record<string, string>> = {
  aws_default_network_acl: 'aws_network_acl',
  alicloud_ecs_security_group_rule: 'alicloud_security_group_rule',
  alicloud_vpc_network_acl: 'alicloud_network_acl',
  alicloud_vpc_network_acl_entries: 'alicloud_network_acl',
};

/** The resource types whose rules are understood. */
export const FIREWALL_TYPES: readonly string[] = [...Object.keys(READERS), ...Object.keys(ALIASES)];

/** The rules of a firewall-like resource in one form, in the order that they are asked in; none for other types. */
export function trafficRules(type: string, configuration: Plain): TrafficRule[] {
  const rules = READERS[ALIASES[type] ?? type]?.(configuration) ?? [];
  return rules.sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
}

/** True, false, or undefined where a reference leaves it open. */
type Maybe = boolean | undefined;

const both = (...parts: Maybe[]): Maybe => (parts.includes(false) ? false : parts.includes(undefined) ? undefined : true);

const admitsProtocol = (rule: TrafficRule, protocol: string): Maybe =>
  rule.protocol === undefined ? undefined : rule.protocol === 'any' || (protocol !== 'any' && rule.protocol === protocol);

function admitsPort(rule: TrafficRule, port: number, everyPort: boolean): Maybe {
  if (rule.from === undefined || rule.to === undefined) return undefined;
  return everyPort ? rule.from <= 1 && rule.to >= LAST_PORT : rule.from <= port && port <= rule.to;
}

/** Addresses of one version of IP: whether a source of every address, `*` included, is about those. */
const VERSIONS = [(source: string): boolean => !source.includes(':'), (source: string): boolean => !source.includes('.')];

function fromAnywhere({ sources }: TrafficRule, isOfVersion: (source: string) => boolean): Maybe {
  if (sources.some((source) => source !== undefined && isAnyCidr(source) && isOfVersion(source))) return true;
  return sources.includes(undefined) ? undefined : false;
}

/**
 * Whether traffic from any address, of IPv4 or IPv6, reaches a port.
 * @param protocol `tcp`, `udp`, or `any` for every protocol and every port
 * @returns undefined when a reference that is not resolved decides it
 */
export function openToInternet(rules: readonly TrafficRule[], protocol: string, port: number): Maybe {
  const answers = VERSIONS.map((isOfVersion) => openTo(rules, protocol, port, isOfVersion));
  return answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;
}

function openTo(rules: readonly TrafficRule[], protocol: string, port: number, isOfVersion: (source: string) => boolean): Maybe {
  let answer: Maybe = false;
  let perhapsDenied = false;
  for (const rule of rules) {
    // a deny without a place in the order stands beside others that are not seen here
    if (rule.direction !== 'ingress' || (rule.action === 'deny' && rule.priority === undefined)) continue;
    const matches = both(
      !rule.unsure || undefined,
      admitsProtocol(rule, protocol),
      admitsPort(rule, port, protocol === 'any'),
      fromAnywhere(rule, isOfVersion),
    );
    if (matches === false) continue;
    // what is asked first decides: a deny for everyone ends it
    if (rule.action === 'deny') {
      if (matches === true) return answer;
      perhapsDenied = true;
    } else {
      if (matches === true && !perhapsDenied) return true;
      answer = undefined;
    }
  }
  return answer;
}
