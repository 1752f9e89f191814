import { openToInternet } from '../../catalog/cel/firewall/reachability.js';
import { FIREWALL_TYPES, trafficRules } from '../../catalog/cel/firewall/readers.js';
import type { TrafficRule } from '../../catalog/cel/firewall/traffic-rule.js';
import { verdict } from './verdict.js';

type Configuration = Record<string, unknown>;

const isOpen = (type: string, configuration: Configuration, port = 22, protocol = 'tcp'): boolean | undefined =>
  openToInternet(trafficRules(type, configuration), protocol, port);

const ingress = (more: Configuration): Configuration => ({ ingress: [{ from_port: 22, to_port: 22, protocol: 'tcp', ...more }] });
const azure = (more: Configuration): Configuration => ({
  direction: 'Inbound',
  access: 'Allow',
  protocol: 'Tcp',
  destination_port_range: '22',
  source_address_prefix: '*',
  priority: 100,
  ...more,
});

/** For each type: SSH open to the world, the same from a private network, and egress only. */
const SHAPES: Record<string, { open: Configuration; closed: Configuration; egress?: Configuration }> = {
  aws_security_group: {
    open: ingress({ cidr_blocks: ['0.0.0.0/0'] }),
    closed: ingress({ cidr_blocks: ['10.0.0.0/8'], security_groups: ['sg-1'] }),
    egress: { egress: [{ from_port: 0, to_port: 0, protocol: '-1', cidr_blocks: ['0.0.0.0/0'] }] },
  },
  aws_security_group_rule: {
    open: { type: 'ingress', from_port: 22, to_port: 22, protocol: 'tcp', cidr_blocks: ['0.0.0.0/0'] },
    closed: { type: 'ingress', from_port: 22, to_port: 22, protocol: 'tcp', source_security_group_id: 'sg-1' },
    egress: { type: 'egress', from_port: 22, to_port: 22, protocol: 'tcp', cidr_blocks: ['0.0.0.0/0'] },
  },
  aws_vpc_security_group_ingress_rule: {
    open: { ip_protocol: 'tcp', from_port: 22, to_port: 22, cidr_ipv4: '0.0.0.0/0' },
    closed: { ip_protocol: 'tcp', from_port: 22, to_port: 22, cidr_ipv4: '10.0.0.0/8' },
  },
  aws_network_acl: {
    open: { ingress: [{ rule_no: 100, action: 'allow', protocol: 'tcp', from_port: 22, to_port: 22, cidr_block: '0.0.0.0/0' }] },
    closed: { ingress: [{ rule_no: 100, action: 'deny', protocol: 'tcp', from_port: 22, to_port: 22, cidr_block: '0.0.0.0/0' }] },
    egress: { egress: [{ rule_no: 100, action: 'allow', protocol: '-1', from_port: 0, to_port: 0, cidr_block: '0.0.0.0/0' }] },
  },
  aws_network_acl_rule: {
    open: { rule_number: 1, rule_action: 'allow', protocol: '6', from_port: 22, to_port: 22, cidr_block: '0.0.0.0/0' },
    closed: { rule_number: 1, rule_action: 'deny', protocol: '6', from_port: 22, to_port: 22, cidr_block: '0.0.0.0/0' },
    egress: { egress: true, rule_number: 1, rule_action: 'allow', protocol: '6', from_port: 22, to_port: 22, cidr_block: '0.0.0.0/0' },
  },
  azurerm_network_security_group: {
    open: { security_rule: [azure({})] },
    closed: { security_rule: [azure({ source_address_prefix: '10.0.0.0/8' })] },
    egress: { security_rule: [azure({ direction: 'Outbound' })] },
  },
  azurerm_network_security_rule: {
    open: azure({ source_address_prefix: 'Internet', destination_port_range: null, destination_port_ranges: ['80', '20-30'] }),
    closed: azure({ access: 'Deny' }),
    egress: azure({ direction: 'Outbound' }),
  },
  google_compute_firewall: {
    open: { allow: [{ protocol: 'tcp', ports: ['22'] }], source_ranges: ['0.0.0.0/0'] },
    closed: { allow: [{ protocol: 'tcp', ports: ['22'] }], source_tags: ['bastion'] },
    egress: { direction: 'EGRESS', allow: [{ protocol: 'all' }], destination_ranges: ['0.0.0.0/0'] },
  },
  google_compute_firewall_policy_rule: {
    open: {
      action: 'allow',
      priority: 1,
      match: [{ src_ip_ranges: ['0.0.0.0/0'], layer4_configs: [{ ip_protocol: 'tcp', ports: ['20-30'] }] }],
    },
    closed: { action: 'deny', priority: 1, match: [{ src_ip_ranges: ['0.0.0.0/0'], layer4_configs: [{ ip_protocol: 'all' }] }] },
  },
  google_compute_network_firewall_policy_with_rules: {
    open: {
      rule: [{ action: 'allow', match: [{ src_ip_ranges: ['0.0.0.0/0'], layer4_config: [{ ip_protocol: 'tcp', ports: ['22'] }] }] }],
    },
    closed: { rule: [{ action: 'allow', match: [{ src_ip_ranges: ['10.0.0.0/8'], layer4_config: [{ ip_protocol: 'tcp' }] }] }] },
  },
  google_compute_organization_security_policy_rule: {
    open: {
      action: 'allow',
      match: [{ config: [{ src_ip_ranges: ['0.0.0.0/0'], layer4_config: [{ ip_protocol: 'tcp', ports: ['22'] }] }] }],
    },
    closed: { action: 'allow', match: [{ config: [{ src_ip_ranges: ['10.0.0.0/8'], layer4_config: [{ ip_protocol: 'all' }] }] }] },
  },
  oci_core_security_list: {
    open: { ingress_security_rules: [{ protocol: '6', source: '0.0.0.0/0', tcp_options: [{ min: 22, max: 22 }] }] },
    closed: { ingress_security_rules: [{ protocol: '6', source: '0.0.0.0/0', tcp_options: [{ min: 80, max: 443 }] }] },
    egress: { egress_security_rules: [{ protocol: 'all', destination: '0.0.0.0/0' }] },
  },
  oci_core_network_security_group_security_rule: {
    open: { direction: 'INGRESS', protocol: '6', source: '0.0.0.0/0', tcp_options: [{ destination_port_range: [{ min: 22, max: 22 }] }] },
    closed: { direction: 'INGRESS', protocol: '6', source: 'ocid1.nsg', source_type: 'NETWORK_SECURITY_GROUP' },
    egress: { direction: 'EGRESS', protocol: 'all', destination: '0.0.0.0/0' },
  },
  alicloud_security_group_rule: {
    open: { type: 'ingress', ip_protocol: 'tcp', port_range: '22/22', cidr_ip: '0.0.0.0/0' },
    closed: { type: 'ingress', ip_protocol: 'tcp', port_range: '22/22', source_security_group_id: 'sg-1' },
    egress: { type: 'egress', ip_protocol: 'all', port_range: '-1/-1', cidr_ip: '0.0.0.0/0' },
  },
  alicloud_network_acl: {
    open: { ingress_acl_entries: [{ policy: 'accept', protocol: 'tcp', port: '22/22', source_cidr_ip: '0.0.0.0/0' }] },
    closed: { ingress_acl_entries: [{ policy: 'drop', protocol: 'tcp', port: '22/22', source_cidr_ip: '0.0.0.0/0' }] },
    egress: { egress_acl_entries: [{ policy: 'accept', protocol: 'all', port: '-1/-1', destination_cidr_ip: '0.0.0.0/0' }] },
  },
  ibm_is_security_group_rule: {
    open: { direction: 'inbound', remote: '0.0.0.0/0', tcp: [{ port_min: 22, port_max: 22 }] },
    closed: { direction: 'inbound', remote: '10.0.0.0/8', tcp: [{ port_min: 22, port_max: 22 }] },
    egress: { direction: 'outbound', remote: '0.0.0.0/0' },
  },
  ibm_is_security_group: {
    open: { rules: [{ direction: 'inbound', remote: '0.0.0.0/0', tcp: [{ port_min: 1, port_max: 1024 }] }] },
    closed: { rules: [{ direction: 'inbound', remote: '0.0.0.0/0', udp: [{ port_min: 1, port_max: 1024 }] }] },
    egress: { rules: [{ direction: 'outbound', remote: '0.0.0.0/0' }] },
  },
  ibm_security_group_rule: {
    open: { direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 },
    closed: { direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22, remote_group_id: 1 },
    egress: { direction: 'egress', protocol: 'tcp' },
  },
  ibm_is_network_acl: {
    open: { rules: [{ action: 'allow', direction: 'inbound', source: '0.0.0.0/0', tcp: [{ port_min: 22, port_max: 22 }] }] },
    closed: { rules: [{ action: 'deny', direction: 'inbound', source: '0.0.0.0/0' }] },
    egress: { rules: [{ action: 'allow', direction: 'outbound', source: '10.0.0.0/8', destination: '0.0.0.0/0' }] },
  },
  ibm_is_network_acl_rule: {
    open: { action: 'allow', direction: 'inbound', source: '0.0.0.0/0', tcp: [{ port_min: 22, port_max: 22 }] },
    closed: { action: 'allow', direction: 'inbound', source: '10.0.0.0/8' },
    egress: { action: 'allow', direction: 'outbound', destination: '0.0.0.0/0' },
  },
};
/** Types that have another's shape. */
const SAME: Record<string, string> = {
  aws_default_security_group: 'aws_security_group',
  aws_default_network_acl: 'aws_network_acl',
  google_compute_network_firewall_policy_rule: 'google_compute_firewall_policy_rule',
  google_compute_region_network_firewall_policy_rule: 'google_compute_firewall_policy_rule',
  google_compute_firewall_policy_with_rules: 'google_compute_network_firewall_policy_with_rules',
  google_compute_region_network_firewall_policy_with_rules: 'google_compute_network_firewall_policy_with_rules',
  oci_core_default_security_list: 'oci_core_security_list',
  alicloud_network_acl_entries: 'alicloud_network_acl',
  alicloud_ecs_security_group_rule: 'alicloud_security_group_rule',
  alicloud_vpc_network_acl: 'alicloud_network_acl',
  alicloud_vpc_network_acl_entries: 'alicloud_network_acl',
};

describe.each(FIREWALL_TYPES.filter((type) => type !== 'aws_vpc_security_group_egress_rule'))('%s', (type) => {
  const shape = SHAPES[SAME[type] ?? type]!;

  it('is open to the internet where a rule admits every address, and only for that port', () => {
    expect(isOpen(type, shape.open)).toBe(true);
    expect(isOpen(type, shape.open, 50_000)).toBe(false);
    expect(isOpen(type, shape.open, 0, 'any')).toBe(false);
  });

  it('is closed otherwise', () => {
    expect(isOpen(type, shape.closed)).toBe(false);
    if (shape.egress !== undefined) expect(isOpen(type, shape.egress)).toBe(false);
  });

  it('tells its rules of egress apart', () => {
    if (shape.egress === undefined) return;
    expect(trafficRules(type, shape.egress).map(({ direction, sources }) => [direction, sources])).toEqual([
      ['egress', [type.startsWith('azurerm_') ? '*' : '0.0.0.0/0']],
    ]);
  });
});

it('a rule of egress alone admits nothing', () => {
  const rule = { ip_protocol: '-1', cidr_ipv4: '0.0.0.0/0' };
  expect(isOpen('aws_vpc_security_group_egress_rule', rule)).toBe(false);
  expect(trafficRules('aws_vpc_security_group_egress_rule', rule)).toHaveLength(1);
});

it('a type that is no firewall has no rules', () => {
  expect(trafficRules('aws_s3_bucket', ingress({ cidr_blocks: ['0.0.0.0/0'] }))).toEqual([]);
});

describe('protocols and ports', () => {
  const rule = (more: Configuration): Configuration => ingress({ cidr_blocks: ['0.0.0.0/0'], ...more });

  it.each([['-1'], ['all'], [-1]])('the protocol %s is any, on every port', (protocol) => {
    const configuration = rule({ protocol, from_port: 0, to_port: 0 });
    expect([isOpen('aws_security_group', configuration), isOpen('aws_security_group', configuration, 53, 'udp')]).toEqual([true, true]);
    expect(isOpen('aws_security_group', configuration, 0, 'any')).toBe(true);
  });

  it('ICMP has no ports and opens none', () => {
    const configuration = rule({ protocol: 'icmp', from_port: -1, to_port: -1 });
    expect(isOpen('aws_security_group', configuration)).toBe(false);
    expect(isOpen('aws_security_group', configuration, 0, 'any')).toBe(false);
    expect(isOpen('aws_security_group', configuration, 0, 'icmp')).toBe(true);
    expect(trafficRules('google_compute_firewall', { allow: [{ protocol: 'icmp' }] })).toMatchObject([{ protocol: 'icmp', from: 0 }]);
  });

  it('every port of one protocol is not every protocol', () => {
    const configuration = rule({ from_port: 0, to_port: 65_535 });
    expect([isOpen('aws_security_group', configuration), isOpen('aws_security_group', configuration, 22, 'udp')]).toEqual([true, false]);
    expect(isOpen('aws_security_group', configuration, 0, 'any')).toBe(false);
  });

  it.each([
    ['22', true],
    ['20-30', true],
    ['22-22', true],
    ['23-30', false],
    ['*', true],
    ['80', false],
  ])('the text %s holds port 22: %s', (destination_port_range, open) => {
    expect(isOpen('azurerm_network_security_rule', azure({ destination_port_range }))).toBe(open);
  });

  it.each([
    ['22/22', true],
    ['1/65535', true],
    ['-1/-1', true],
    ['80/443', false],
  ])('the text %s holds port 22: %s (Alibaba Cloud)', (port_range, open) => {
    expect(isOpen('alicloud_security_group_rule', { ip_protocol: 'tcp', port_range, cidr_ip: '0.0.0.0/0' })).toBe(open);
  });

  it('numbers may be texts', () => {
    expect(isOpen('aws_security_group', rule({ from_port: '22', to_port: '22', protocol: '6' }))).toBe(true);
  });

  it('a rule that is switched off admits nothing', () => {
    expect(isOpen('google_compute_firewall', { allow: [{ protocol: 'all' }], disabled: true })).toBe(false);
    expect(isOpen('google_compute_firewall', { allow: [{ protocol: 'all' }] })).toBe(true);
  });
});

describe('IPv6', () => {
  it('is the internet as well', () => {
    expect(isOpen('aws_security_group', ingress({ ipv6_cidr_blocks: ['::/0'] }))).toBe(true);
    expect(isOpen('aws_security_group', ingress({ ipv6_cidr_blocks: ['fd00::/8'] }))).toBe(false);
    expect(isOpen('aws_vpc_security_group_ingress_rule', { ip_protocol: 'tcp', from_port: 22, cidr_ipv6: '::/0' })).toBe(true);
    expect(isOpen('alicloud_security_group_rule', { ip_protocol: 'tcp', port_range: '22/22', ipv6_cidr_ip: '::/0' })).toBe(true);
  });

  it('is not closed by a rule that denies IPv4', () => {
    const entry = (rule_no: number, action: string, more: Configuration): Configuration => ({
      ...{ rule_no, action, protocol: '-1', from_port: 0, to_port: 0 },
      ...more,
    });
    const acl = (...entries: Configuration[]): boolean | undefined => isOpen('aws_network_acl', { ingress: entries });
    expect(acl(entry(1, 'deny', { cidr_block: '0.0.0.0/0' }), entry(2, 'allow', { ipv6_cidr_block: '::/0' }))).toBe(true);
    expect(acl(entry(1, 'deny', { ipv6_cidr_block: '::/0' }), entry(2, 'allow', { ipv6_cidr_block: '::/0' }))).toBe(false);
  });
});

describe('the order of rules', () => {
  const acl = (...entries: [number, string, Configuration?][]): boolean | undefined =>
    isOpen('aws_network_acl', {
      ingress: entries.map(([rule_no, action, more]) => ({
        ...{ rule_no, action, protocol: 'tcp', from_port: 22, to_port: 22, cidr_block: '0.0.0.0/0' },
        ...more,
      })),
    });

  it('lets a deny for everyone end it, wherever it is written', () => {
    expect(acl([100, 'deny'], [200, 'allow'])).toBe(false);
    expect(acl([200, 'allow'], [100, 'deny'])).toBe(false);
    expect(acl([100, 'allow'], [200, 'deny'])).toBe(true);
  });

  it('gives nothing on a deny of something else', () => {
    expect(acl([100, 'deny', { cidr_block: '10.0.0.0/8' }], [200, 'allow'])).toBe(true);
    expect(acl([100, 'deny', { from_port: 80, to_port: 80 }], [200, 'allow'])).toBe(true);
    expect(acl([100, 'deny', { protocol: 'udp' }], [200, 'allow'])).toBe(true);
  });

  it('holds for Azure, whose priorities are in every rule, and for lists that are asked from the top', () => {
    const group = (...rules: Configuration[]): boolean | undefined => isOpen('azurerm_network_security_group', { security_rule: rules });
    expect(group(azure({ priority: 200 }), azure({ priority: 100, access: 'Deny' }))).toBe(false);
    expect(group(azure({ priority: 100 }), azure({ priority: 200, access: 'Deny' }))).toBe(true);
    const entry = (policy: string): Configuration => ({ policy, protocol: 'tcp', port: '22/22', source_cidr_ip: '0.0.0.0/0' });
    expect(isOpen('alicloud_network_acl', { ingress_acl_entries: [entry('drop'), entry('accept')] })).toBe(false);
    expect(isOpen('alicloud_network_acl', { ingress_acl_entries: [entry('accept'), entry('drop')] })).toBe(true);
  });
});

describe('what a reference leaves open', () => {
  const rule = (more: Configuration): Configuration => ingress({ cidr_blocks: ['0.0.0.0/0'], ...more });

  it.each([
    ['the source', { cidr_blocks: ['${var.cidr}'] }],
    ['a port', { from_port: '${var.port}' }],
    ['the protocol', { protocol: '${var.protocol}' }],
    ['all sources', { cidr_blocks: '${var.cidrs}' }],
  ])('%s is undecided', (_, more) => {
    expect(isOpen('aws_security_group', rule(more))).toBeUndefined();
    expect(verdict('!open_to_internet(asset, "tcp", 22)', rule(more), { resource_type: 'aws_security_group' })).toBe('NOT_EVALUATED');
  });

  it.each([
    ['another port', { from_port: 80, to_port: 80, cidr_blocks: ['${var.cidr}'] }],
    ['another protocol', { protocol: 'udp', cidr_blocks: ['${var.cidr}'] }],
    ['no public source', { from_port: '${var.port}', cidr_blocks: ['10.0.0.0/8'] }],
  ])('%s is decided all the same', (_, more) => {
    expect(isOpen('aws_security_group', rule(more))).toBe(false);
  });

  it('is decided by another rule', () => {
    const [undecided] = rule({ cidr_blocks: ['${var.cidr}'] })['ingress'] as Configuration[];
    const [open] = rule({})['ingress'] as Configuration[];
    expect(isOpen('aws_security_group', { ingress: [undecided, open] })).toBe(true);
    expect(isOpen('aws_security_group', { ingress: [{ ...open, cidr_blocks: ['10.0.0.0/8', '${var.more}'] }] })).toBeUndefined();
  });

  it('is undecided behind a deny that may be for everyone', () => {
    const entry = (rule_no: number, action: string, cidr_block: string): Configuration => ({
      ...{ rule_no, action, cidr_block, protocol: 'tcp', from_port: 22, to_port: 22 },
    });
    const acl = (...entries: Configuration[]): boolean | undefined => isOpen('aws_network_acl', { ingress: entries });
    expect(acl(entry(1, 'deny', '${var.cidr}'), entry(2, 'allow', '0.0.0.0/0'))).toBeUndefined();
    expect(acl(entry(1, 'allow', '${var.cidr}'), entry(2, 'deny', '0.0.0.0/0'))).toBeUndefined();
    expect(acl(entry(1, 'deny', '${var.cidr}'), entry(2, 'allow', '10.0.0.0/8'))).toBe(false);
  });
});

describe('rules in expressions', () => {
  const configuration = {
    ingress: [
      { from_port: 443, to_port: 443, protocol: 'tcp', cidr_blocks: ['0.0.0.0/0'], description: 'web' },
      { from_port: 0, to_port: 0, protocol: '-1', security_groups: ['sg-1'] },
    ],
    egress: { from_port: 0, to_port: 0, protocol: '-1', cidr_blocks: ['10.0.0.0/8'] },
  };
  const asked = (expression: string): string => verdict(expression, configuration, { resource_type: 'aws_security_group' });

  it('have one form', () => {
    const web = 'i.action == "allow" && i.protocol == "tcp" && i.from == 443 && i.to == 443 && i.description == "web"';
    expect(asked(`ingress(asset).exists(i, ${web} && i.sources.exists(s, s == "0.0.0.0/0"))`)).toBe('PASS');
    expect(asked('ingress(asset).exists(i, i.protocol == "any" && i.from == 0 && i.to == 65535 && size(i.sources) == 0)')).toBe('PASS');
    expect(asked('size(egress(asset)) == 1 && egress(asset).all(e, e.sources.all(s, !is_any_cidr(s)))')).toBe('PASS');
  });

  it('leave open what a reference does', () => {
    const open = { ingress: [{ from_port: 22, to_port: 22, protocol: '${var.protocol}', cidr_blocks: ['${var.cidr}'] }] };
    const type = { resource_type: 'aws_security_group' };
    expect(verdict('ingress(asset).all(i, i.from == 22)', open, type)).toBe('PASS');
    expect(verdict('ingress(asset).all(i, i.protocol != "tcp")', open, type)).toBe('NOT_EVALUATED');
    expect(verdict('ingress(asset).all(i, i.sources.all(s, s != "0.0.0.0/0"))', open, type)).toBe('NOT_EVALUATED');
  });

  it('are asked of the resource only', () => {
    expect(verdict('size(ingress(r)) == 0', configuration)).toBe('NOT_EVALUATED');
  });
});

it('the order of priorities is the order that rules are given in', () => {
  const rules = trafficRules('azurerm_network_security_group', {
    security_rule: [azure({ priority: 300 }), azure({ priority: '100' }), azure({ priority: 200 })],
  });
  expect(rules.map(({ priority }: TrafficRule) => priority)).toEqual([100, 200, 300]);
});

describe('a rule whose direction or action is not resolved', () => {
  it.each([
    ['aws_security_group_rule', { type: '${var.type}', from_port: 22, to_port: 22, protocol: 'tcp', cidr_blocks: ['0.0.0.0/0'] }],
    ['azurerm_network_security_rule', azure({ access: '${var.access}' })],
    ['azurerm_network_security_rule', azure({ direction: '${var.direction}' })],
    [
      'google_compute_firewall',
      { direction: '${var.direction}', allow: [{ protocol: 'tcp', ports: ['22'] }], source_ranges: ['0.0.0.0/0'] },
    ],
  ])('of %s decides nothing', (type, configuration) => {
    expect(isOpen(type, configuration)).toBeUndefined();
  });
});
