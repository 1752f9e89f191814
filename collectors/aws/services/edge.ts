import type { CallGroup } from '../lines.js';

const marker = ['NextMarker', 'Marker'] as const;
const ofBalancer = { input: { LoadBalancerArn: '{LoadBalancerArn}' } };
const ofClassic = { input: { LoadBalancerName: '{LoadBalancerName}' } };

export const ELBV2: CallGroup = {
  service: 'elasticloadbalancing',
  command: 'elbv2',
  prefix: 'elasticloadbalancing',
  load: () => import('@aws-sdk/client-elastic-load-balancing-v2'),
  client: 'ElasticLoadBalancingV2Client',
  calls: [
    {
      call: 'DescribeLoadBalancers',
      page: marker,
      each: 'LoadBalancers',
      then: [
        { call: 'DescribeLoadBalancerAttributes', ...ofBalancer },
        { call: 'DescribeTags', input: { ResourceArns: ['{LoadBalancerArn}'] } },
        {
          call: 'DescribeListeners',
          page: marker,
          ...ofBalancer,
          each: 'Listeners',
          then: [{ call: 'DescribeRules', page: marker, input: { ListenerArn: '{ListenerArn}' } }],
        },
      ],
    },
    { call: 'DescribeTargetGroups', page: marker },
  ],
};

/** Load balancers of the first kind; they take the same permissions. */
export const ELB: CallGroup = {
  service: 'elasticloadbalancing',
  command: 'elb',
  prefix: 'elasticloadbalancing',
  load: () => import('@aws-sdk/client-elastic-load-balancing'),
  client: 'ElasticLoadBalancingClient',
  calls: [
    {
      call: 'DescribeLoadBalancers',
      page: marker,
      each: 'LoadBalancerDescriptions',
      then: [
        { call: 'DescribeLoadBalancerAttributes', ...ofClassic },
        { call: 'DescribeTags', input: { LoadBalancerNames: ['{LoadBalancerName}'] } },
      ],
    },
  ],
};

export const CLOUDFRONT: CallGroup = {
  service: 'cloudfront',
  command: 'cloudfront',
  prefix: 'cloudfront',
  global: true,
  commercial: true,
  load: () => import('@aws-sdk/client-cloudfront'),
  client: 'CloudFrontClient',
  calls: [
    {
      call: 'ListDistributions',
      page: ['DistributionList.NextMarker', 'Marker'],
      late: true,
      each: 'DistributionList.Items',
      then: [{ call: 'GetDistribution', input: { Id: '{Id}' } }],
    },
  ],
};
