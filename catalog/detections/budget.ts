import type { ActorKind, EventOutcome, Provider } from '../../schema/model.js';
import type { CompiledRule } from './compile.js';
import type { DetectedEvent } from './event-fields.js';
import { LOGS, type LogName } from './rule-file.js';

/** What every event of a log has, whatever was done: calls that only look, as accounts are full of them. */
const LEAST: Readonly<Record<LogName, { action: string; service: string; record: Record<string, unknown> }>> = {
  'aws/cloudtrail': {
    ...{ action: 'DescribeInstances', service: 'ec2' },
    record: {
      ...{ eventVersion: '1.09', eventSource: 'ec2.amazonaws.com', eventName: 'DescribeInstances', awsRegion: 'eu-central-1' },
      ...{
        eventType: 'AwsApiCall',
        readOnly: true,
        managementEvent: true,
        eventCategory: 'Management',
        recipientAccountId: '111122223333',
      },
      ...{ userIdentity: { type: 'AssumedRole', accountId: '111122223333' }, requestParameters: { maxResults: 100 } },
    },
  },
  'gcp/gcp.audit': {
    ...{ action: 'v1.compute.instances.list', service: 'compute.googleapis.com' },
    record: {
      ...{ logName: 'projects/p/logs/cloudaudit.googleapis.com%2Factivity', severity: 'NOTICE', resource: { type: 'gce_instance' } },
      protoPayload: { serviceName: 'compute.googleapis.com', methodName: 'v1.compute.instances.list', resourceName: 'projects/p' },
    },
  },
  'azure/activitylogs': {
    ...{ action: 'Microsoft.Compute/virtualMachines/read', service: 'Microsoft.Compute' },
    record: { operationName: 'Microsoft.Compute/virtualMachines/read', category: 'Administrative', level: 'Informational', properties: {} },
  },
  'azure/auditlogs': {
    ...{ action: 'Update device', service: 'Device Registration Service' },
    record: { activityDisplayName: 'Update device', category: 'Device', result: 'success', targetResources: [{ type: 'Device' }] },
  },
  'azure/signinlogs': {
    ...{ action: 'Sign-in activity', service: 'sign_in' },
    record: { appDisplayName: 'Office', clientAppUsed: 'Browser', status: { errorCode: 0 }, riskLevelDuringSignIn: 'none' },
  },
  'kubernetes/audit': {
    ...{ action: 'list:core/pods', service: 'core' },
    record: {
      ...{ kind: 'Event', level: 'Metadata', stage: 'ResponseComplete', verb: 'list', requestURI: '/api/v1/pods' },
      ...{ user: { username: 'ann' }, objectRef: { resource: 'pods', namespace: 'default' }, responseStatus: { code: 200 } },
    },
  },
  'oci/audit': {
    ...{ action: 'ListInstances', service: 'ComputeApi' },
    record: {
      ...{ eventType: 'com.oraclecloud.computeApi.ListInstances', cloudEventsVersion: '0.1', source: 'ComputeApi' },
      data: { eventName: 'ListInstances', request: { action: 'GET', parameters: {} }, response: { status: '200' } },
    },
  },
  'alicloud/actiontrail': {
    ...{ action: 'DescribeInstances', service: 'ecs' },
    record: {
      ...{ eventName: 'DescribeInstances', eventSource: 'ecs.aliyuncs.com', serviceName: 'Ecs', eventType: 'ApiCall', eventRW: 'Read' },
      ...{ acsRegion: 'eu-central-1', userIdentity: { type: 'ram-user' }, requestParameters: { PageSize: 100 } },
    },
  },
};
const KINDS: readonly ActorKind[] = ['user', 'role', 'service_account', 'service'];
const OUTCOME: EventOutcome = 'success';

/** An event that says nothing but whose it is. */
function ordinaryOf(log: LogName, actor_kind: ActorKind): DetectedEvent {
  const { provider, logs }: { provider: Provider; logs: string | null } = LOGS[log];
  const about = { provider, log: logs ?? 'management:read', region: 'global', account_id: '111122223333', outcome: OUTCOME };
  return { ...LEAST[log], ...about, actor_kind, actor: 'ann', time: new Date(0), user_agent: 'program/1.0', source_ip: '10.0.0.1' };
}

/**
 * A rule has a budget: of the ordinary events of its log it may match none, because it would match nearly everything that is ever done.
 * @throws an Error that says so
 */
export function withinBudget(rule: CompiledRule): CompiledRule {
  const kind = KINDS.find((actor_kind) => rule.matches(ordinaryOf(rule.log, actor_kind)));
  if (kind === undefined) return rule;
  throw new Error(
    `it matches an ordinary event (${LEAST[rule.log].action} of a ${kind}), so that it would match nearly everything: name the call`,
  );
}
