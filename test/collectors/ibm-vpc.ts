import { ACCOUNT, type IbmAnswer } from './ibm-stand.js';

const VPC = 'eu-de.iaas.cloud.ibm.com/v1';
const list = (name: string, things: readonly unknown[]): IbmAnswer => ({ list: name, things, paging: 'href' });
const vpcThing = (kind: string, name: string, more: object) => ({
  ...{ id: `r010-${name}`, crn: `crn:v1:bluemix:public:is:eu-de:a/${ACCOUNT}::${kind}:r010-${name}`, name, resource_group: { id: 'rg' } },
  ...more,
});

/** The virtual private cloud of a region: something of every list. */
export const IBM_VPC: Readonly<Record<string, IbmAnswer>> = {
  [`${VPC}/vpcs`]: list('vpcs', [vpcThing('vpc', 'shop', { classic_access: false }), vpcThing('vpc', 'lab', { classic_access: true })]),
  [`${VPC}/subnets`]: list('subnets', [
    vpcThing('subnet', 'front', {
      ipv4_cidr_block: '10.0.0.0/24',
      vpc: { id: 'r010-shop' },
      zone: { name: 'eu-de-1' },
      network_acl: { id: 'r010-acl' },
    }),
  ]),
  [`${VPC}/security_groups`]: list('security_groups', [
    vpcThing('security-group', 'ssh', {
      vpc: { id: 'r010-shop' },
      rules: [
        {
          id: 'open',
          direction: 'inbound',
          ip_version: 'ipv4',
          protocol: 'tcp',
          port_min: 22,
          port_max: 22,
          remote: { cidr_block: '0.0.0.0/0' },
        },
        { id: 'out', direction: 'outbound', ip_version: 'ipv4', protocol: 'all', remote: { cidr_block: '0.0.0.0/0' } },
      ],
      targets: [{ id: 'nic-1', name: 'eth0', resource_type: 'network_interface' }],
    }),
  ]),
  [`${VPC}/network_acls`]: list('network_acls', [
    vpcThing('network-acl', 'acl', {
      vpc: { id: 'r010-shop' },
      rules: [
        {
          ...{
            id: 'a1',
            name: 'rdp',
            action: 'allow',
            direction: 'inbound',
            source: '0.0.0.0/0',
            destination: '0.0.0.0/0',
            protocol: 'tcp',
          },
          ...{ destination_port_min: 3_389, destination_port_max: 3_389, source_port_min: 1, source_port_max: 65_535 },
        },
      ],
    }),
  ]),
  [`${VPC}/instances`]: list('instances', [
    vpcThing('instance', 'web', {
      ...{ vpc: { id: 'r010-shop' }, zone: { name: 'eu-de-1' }, profile: { name: 'bx2-2x8' }, image: { id: 'r010-image' } },
      ...{ metadata_service: { enabled: true, protocol: 'http', response_hop_limit: 2 }, enable_secure_boot: false },
      primary_network_interface: { id: 'nic-1', name: 'eth0', primary_ip: { address: '10.0.0.4' }, subnet: { id: 'r010-front' } },
      volume_attachments: [{ id: 'at', volume: { id: 'r010-data' } }],
      user_data: 'never told by lists',
    }),
  ]),
  [`${VPC}/instance/templates`]: list('templates', [
    vpcThing('instance-template', 'pool', {
      metadata_service: { enabled: true, protocol: 'https', response_hop_limit: 1 },
      user_data: 'export KEY=hunter2',
    }),
  ]),
  [`${VPC}/bare_metal_servers`]: list('bare_metal_servers', [vpcThing('bare-metal-server', 'metal', { enable_secure_boot: true })]),
  [`${VPC}/volumes`]: list('volumes', [vpcThing('volume', 'data', { capacity: 100, encryption: 'provider_managed' })]),
  [`${VPC}/floating_ips`]: list('floating_ips', [vpcThing('floating-ip', 'ip', { address: '192.0.2.10', target: { id: 'nic-1' } })]),
  [`${VPC}/flow_log_collectors`]: list('flow_log_collectors', [
    vpcThing('flow-log-collector', 'flows', { active: true, target: { id: 'r010-shop' }, storage_bucket: { name: 'flows' } }),
  ]),
  [`${VPC}/load_balancers`]: list('load_balancers', [
    vpcThing('load-balancer', 'edge', { is_public: true, subnets: [{ id: 'r010-front' }] }),
  ]),
  [`${VPC}/load_balancers/r010-edge/listeners`]: list('listeners', [{ id: 'l1', port: 80, protocol: 'http' }]),
  [`${VPC}/load_balancers/r010-edge/pools`]: list('pools', [{ id: 'p1', name: 'web', protocol: 'http', algorithm: 'round_robin' }]),
  [`${VPC}/shares`]: list('shares', [vpcThing('share', 'files', { allowed_transit_encryption_modes: ['none', 'ipsec'], size: 10 })]),
  [`${VPC}/shares/r010-files/mount_targets`]: list('mount_targets', [
    { id: 'm1', name: 'mount', transit_encryption: 'none', vpc: { id: 'r010-shop' } },
  ]),
  [`${VPC}/vpn_servers`]: list('vpn_servers', [
    vpcThing('vpn-server', 'office', {
      client_authentication: [{ method: 'username', identity_provider: 'iam' }],
      security_groups: [{ id: 'r010-ssh' }],
    }),
  ]),
  [`${VPC}/vpn_gateways`]: list('vpn_gateways', [vpcThing('vpn', 'tunnel', { mode: 'route', subnet: { id: 'r010-front' } })]),
  [`${VPC}/vpn_gateways/r010-tunnel/connections`]: list('connections', [
    { id: 'c1', name: 'partner', psk: 'hunter2', admin_state_up: true },
  ]),
  [`${VPC}/private_path_service_gateways`]: list('private_path_service_gateways', [
    vpcThing('ppsg', 'api', { default_access_policy: 'permit' }),
  ]),
  [`${VPC}/private_path_service_gateways/r010-api/account_policies`]: list('account_policies', [
    { id: 'ap1', access_policy: 'permit', account: { id: 'other' } },
  ]),
};
