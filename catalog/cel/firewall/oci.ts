import { block, blocks, int, items, text, type Plain } from '../read.js';
import { ALL_PORTS, isUnsure, protocolOf, type Ports, type Reader, type Readers, type TrafficRule } from './traffic-rule.js';

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

export const ociReaders: Readers = {
  oci_core_security_list: ociSecurityList,
  oci_core_default_security_list: ociSecurityList,
  oci_core_network_security_group_security_rule: ociGroupRule,
};
