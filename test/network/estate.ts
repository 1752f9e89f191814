export const arn = (rest: string): string => `arn:aws:ec2:eu-west-1:111122223333:${rest}`;
export const WEB = arn('instance/i-web');
export const DB = arn('instance/i-db');

export const resource = (type: string, name: string, attributes: Record<string, unknown>) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
export const from = (port: number, ...cidr_blocks: string[]) => ({ protocol: 'tcp', from_port: port, to_port: port, cidr_blocks });
export const OUT = [{ protocol: '-1', from_port: 0, to_port: 0, cidr_blocks: ['0.0.0.0/0'] }];

/** A network with a web server that has a public address, and a database behind it. @param ports that everybody gets to @param more further resources */
export const state = (ports: readonly number[], more: readonly ReturnType<typeof resource>[] = []) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'network' },
  resources: [
    resource('aws_vpc', 'v', { arn: arn('vpc/vpc-1'), id: 'vpc-1', cidr_block: '10.0.0.0/16' }),
    resource('aws_internet_gateway', 'g', { arn: arn('internet-gateway/igw-1'), id: 'igw-1', vpc_id: 'vpc-1' }),
    resource('aws_route_table', 'r', {
      arn: arn('route-table/rtb-1'),
      id: 'rtb-1',
      vpc_id: 'vpc-1',
      route: [{ cidr_block: '0.0.0.0/0', gateway_id: 'igw-1' }],
    }),
    resource('aws_network_acl', 'n', {
      ...{ arn: arn('network-acl/acl-1'), id: 'acl-1', vpc_id: 'vpc-1', subnet_ids: ['subnet-1'] },
      ingress: [{ rule_no: 100, action: 'allow', protocol: '-1', from_port: 0, to_port: 0, cidr_block: '0.0.0.0/0' }],
      egress: [{ rule_no: 100, action: 'allow', protocol: '-1', from_port: 0, to_port: 0, cidr_block: '0.0.0.0/0' }],
    }),
    resource('aws_subnet', 's', { arn: arn('subnet/subnet-1'), id: 'subnet-1', vpc_id: 'vpc-1', cidr_block: '10.0.1.0/24' }),
    resource('aws_route_table_association', 'a', { id: 'rtbassoc-1', subnet_id: 'subnet-1', route_table_id: 'rtb-1' }),
    resource('aws_security_group', 'web', {
      arn: arn('security-group/sg-web'),
      id: 'sg-web',
      vpc_id: 'vpc-1',
      ingress: ports.map((port) => from(port, '0.0.0.0/0')),
      egress: OUT,
    }),
    resource('aws_security_group', 'db', {
      ...{ arn: arn('security-group/sg-db'), id: 'sg-db', vpc_id: 'vpc-1', egress: OUT },
      ingress: [{ protocol: 'tcp', from_port: 5432, to_port: 5432, security_groups: ['sg-web'] }],
    }),
    resource('aws_instance', 'web', {
      arn: WEB,
      id: 'i-web',
      subnet_id: 'subnet-1',
      vpc_security_group_ids: ['sg-web'],
      public_ip: '52.1.2.3',
      private_ip: '10.0.1.4',
    }),
    resource('aws_instance', 'db', {
      arn: DB,
      id: 'i-db',
      subnet_id: 'subnet-1',
      vpc_security_group_ids: ['sg-db'],
      public_ip: '',
      private_ip: '10.0.1.5',
    }),
    ...more,
  ],
});
