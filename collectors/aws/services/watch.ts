import type { CallGroup } from '../lines.js';

export const EVENTS: CallGroup = {
  service: 'events',
  command: 'events',
  prefix: 'events',
  load: () => import('@aws-sdk/client-eventbridge'),
  client: 'EventBridgeClient',
  calls: [
    {
      call: 'ListEventBuses',
      page: 'NextToken',
      each: 'EventBuses',
      then: [{ call: 'ListRules', page: 'NextToken', input: { EventBusName: '{Name}' } }],
    },
  ],
};

export const CLOUDWATCH: CallGroup = {
  service: 'cloudwatch',
  command: 'cloudwatch',
  prefix: 'cloudwatch',
  load: () => import('@aws-sdk/client-cloudwatch'),
  client: 'CloudWatchClient',
  calls: [{ call: 'DescribeAlarms', page: 'NextToken', quiet: { MaxRecords: 100, AlarmTypes: ['CompositeAlarm', 'MetricAlarm'] } }],
};

export const CONFIG: CallGroup = {
  service: 'config',
  command: 'configservice',
  prefix: 'config',
  load: () => import('@aws-sdk/client-config-service'),
  client: 'ConfigServiceClient',
  calls: [{ call: 'DescribeConfigurationRecorders' }, { call: 'DescribeDeliveryChannels' }],
};

export const GUARDDUTY: CallGroup = {
  service: 'guardduty',
  command: 'guardduty',
  prefix: 'guardduty',
  load: () => import('@aws-sdk/client-guardduty'),
  client: 'GuardDutyClient',
  calls: [
    {
      call: 'ListDetectors',
      page: 'NextToken',
      each: 'DetectorIds',
      as: 'DetectorId',
      then: [{ call: 'GetDetector', input: { DetectorId: '{DetectorId}' } }],
    },
  ],
};
