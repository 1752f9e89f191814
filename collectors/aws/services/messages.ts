import type { CallGroup } from '../lines.js';

export const SQS: CallGroup = {
  service: 'sqs',
  command: 'sqs',
  prefix: 'sqs',
  load: () => import('@aws-sdk/client-sqs'),
  client: 'SQSClient',
  calls: [
    {
      call: 'ListQueues',
      quiet: { MaxResults: 1000 },
      page: 'NextToken',
      each: 'QueueUrls',
      as: 'QueueUrl',
      then: [{ call: 'GetQueueAttributes', input: { QueueUrl: '{QueueUrl}', AttributeNames: ['All'] } }],
    },
  ],
};

export const SNS: CallGroup = {
  service: 'sns',
  command: 'sns',
  prefix: 'sns',
  load: () => import('@aws-sdk/client-sns'),
  client: 'SNSClient',
  calls: [
    {
      call: 'ListTopics',
      page: 'NextToken',
      late: true,
      each: 'Topics',
      then: [{ call: 'GetTopicAttributes', input: { TopicArn: '{TopicArn}' } }],
    },
    { call: 'ListSubscriptions', page: 'NextToken' },
  ],
};

const ofTrail = { input: { TrailName: '{TrailARN}' } };

/** Records of what is done. A trail is asked about in the region that it is of. */
export const CLOUDTRAIL: CallGroup = {
  service: 'cloudtrail',
  command: 'cloudtrail',
  prefix: 'cloudtrail',
  load: () => import('@aws-sdk/client-cloudtrail'),
  client: 'CloudTrailClient',
  calls: [
    {
      call: 'DescribeTrails',
      quiet: { includeShadowTrails: false },
      each: 'trailList',
      then: [
        { call: 'GetTrailStatus', input: { Name: '{TrailARN}' } },
        { call: 'GetEventSelectors', ...ofTrail },
        { call: 'GetInsightSelectors', ...ofTrail },
      ],
    },
  ],
};

export const LOGS: CallGroup = {
  service: 'logs',
  command: 'logs',
  prefix: 'logs',
  load: () => import('@aws-sdk/client-cloudwatch-logs'),
  client: 'CloudWatchLogsClient',
  calls: [
    { call: 'DescribeLogGroups', quiet: { limit: 50 }, page: 'nextToken' },
    { call: 'DescribeMetricFilters', quiet: { limit: 50 }, page: 'nextToken' },
    { call: 'DescribeDestinations', quiet: { limit: 50 }, page: 'nextToken' },
    { call: 'DescribeResourcePolicies', quiet: { limit: 50 }, page: 'nextToken' },
    {
      call: 'DescribeDeliveryDestinations',
      quiet: { limit: 50 },
      page: 'nextToken',
      each: 'deliveryDestinations',
      then: [{ call: 'GetDeliveryDestinationPolicy', input: { deliveryDestinationName: '{name}' } }],
    },
  ],
};
