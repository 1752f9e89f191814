import type { Line } from '../../listing/line.js';
import { product, SIZED, type AlicloudService } from '../product.js';

const firewall = product('yundun-cloudfirewall', 'cloudfw.aliyuncs.com', '2017-12-07');
const accelerator = product('ga', 'ga.cn-hangzhou.aliyuncs.com', '2019-11-20');
const api = product('apigateway', 'apigateway.{region}.aliyuncs.com', '2016-07-14');
const link = product('privatelink', 'privatelink.{region}.aliyuncs.com', '2020-04-15');
const registry = product('cr', 'cr.{region}.aliyuncs.com', '2018-12-01');

const CURRENT = 'CurrentPage=1&PageSize=50';
/** Rules of traffic that comes in, and of traffic that goes out. */
const rules = (direction: 'in' | 'out'): Line => ({
  ...firewall.call('DescribeControlPolicy', `Direction=${direction}&${CURRENT}`, { each: 'Policys' }),
  call: `describe-${direction}-policy`,
});
const ofRegistry = (action: string, each: string, more = ''): Line =>
  registry.call(action, `InstanceId={InstanceId}&PageNo=1&PageSize=50${more}`, { about: '{InstanceId}', each });

/** What stands between networks, and what is offered to others. */
export const GATES: readonly AlicloudService[] = [
  {
    service: 'cloudfirewall',
    where: 'account',
    lines: [
      rules('in'),
      rules('out'),
      firewall.call('DescribeVpcFirewallAclGroupList', CURRENT, {
        each: 'AclGroupList',
        then: [
          firewall.call('DescribeVpcFirewallControlPolicy', `VpcFirewallId={AclGroupId}&${CURRENT}`, {
            about: '{AclGroupId}',
            each: 'Policys',
          }),
        ],
      }),
    ],
  },
  {
    service: 'ga',
    where: 'account',
    lines: [accelerator.call('ListAcls', 'MaxResults=50', { each: 'Acls', then: accelerator.about('AclId', ['GetAcl']) })],
  },
  {
    service: 'apigateway',
    where: 'region',
    lines: [
      api.call('DescribeAccessControlLists', SIZED, { each: 'Acls.Acl', then: api.about('AclId', ['DescribeAccessControlListAttribute']) }),
    ],
  },
  {
    service: 'privatelink',
    where: 'region',
    lines: [
      link.call('ListVpcEndpointServices', 'RegionId={region}&MaxResults=50', {
        each: 'Services',
        then: [
          link.call('ListVpcEndpointServiceUsers', 'ServiceId={ServiceId}&RegionId={region}&UserListType=UserARNs&MaxResults=50', {
            about: '{ServiceId}',
            each: 'UserARNs',
          }),
        ],
      }),
    ],
  },
  {
    service: 'cr',
    where: 'region',
    lines: [
      registry.call('ListInstance', 'PageNo=1&PageSize=30', {
        each: 'Instances',
        then: [
          ofRegistry('ListNamespace', 'Namespaces'),
          ofRegistry('ListRepository', 'Repositories', '&RepoStatus=ALL'),
          ofRegistry('ListChartNamespace', 'Namespaces'),
          ofRegistry('ListChartRepository', 'Repositories', '&RepoStatus=ALL'),
          registry.call('GetInstanceEndpoint', 'InstanceId={InstanceId}&EndpointType=internet', { about: '{InstanceId}' }),
        ],
      }),
    ],
  },
];
