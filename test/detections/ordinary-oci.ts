import type { Habit, Moment } from './ordinary-logs.js';

const person = ({ random }: Moment): string => `ocid1.user.oc1..person${random.below(12)}`;
const machine = ({ random }: Moment): string => `ocid1.instance.oc1.eu-frankfurt-1.app${random.below(40)}`;
const pipeline = (): string => 'ocid1.dynamicgroup.oc1..pipelines';
const service = (): string => '';
const CONSOLE = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0';
const TERRAFORM = 'Oracle-GoSDK/65.57.0 terraform-provider-oci/5.25';

interface Call {
  readonly who: (moment: Moment) => string;
  readonly source: string;
  readonly names: readonly string[];
  readonly agent?: string;
  readonly data?: object;
}

/** An audit event: https://docs.oracle.com/iaas/Content/Audit/Reference/logeventreference.htm */
function event({ who, source, names, agent = 'Oracle-PythonSDK/2.118', data = {} }: Call, moment: Moment): object {
  const eventName = moment.random.of(names);
  const principalId = who(moment);
  const isRefused = moment.random.chance(0.005);
  const identity = { principalId, principalName: principalId.split('..').at(-1), tenantId: 'ocid1.tenancy.oc1..acme' };
  return {
    ...{ eventType: `com.oraclecloud.${source}.${eventName}`, cloudEventsVersion: '0.1', eventTypeVersion: '2.0', source },
    ...{ eventId: moment.uuid(), eventTime: moment.time },
    data: {
      ...{ eventName, compartmentName: 'production', resourceId: `ocid1.thing.oc1.eu-frankfurt-1.${moment.name('r', 200)}` },
      identity: { ...identity, ipAddress: '203.0.113.10', userAgent: agent },
      ...{ request: { action: 'GET', parameters: {} }, resourceName: moment.name('r', 200) },
      response: isRefused ? { status: '404', message: 'NotAuthorizedOrNotFound' } : { status: '200' },
      ...data,
    },
  };
}

const habit = (weight: number, call: Call): Habit => [weight, (moment) => event(call, moment)];
const state = (current: object): object => ({ stateChange: { current } });
const inside = [{ protocol: '6', source: '10.0.0.0/8', tcpOptions: { destinationPortRange: { min: 22, max: 22 } } }];
const web = [{ protocol: '6', source: '0.0.0.0/0', tcpOptions: { destinationPortRange: { min: 443, max: 443 } } }];

/** What a tenancy is full of: people at the console, pipelines, machines, scaling and backups. */
export const OCI_HABITS: readonly Habit[] = [
  habit(30, {
    who: person,
    source: 'ComputeApi',
    agent: CONSOLE,
    names: ['ListInstances', 'GetInstance', 'ListVnicAttachments', 'ListShapes'],
  }),
  habit(12, {
    who: person,
    source: 'IdentityControlPlane',
    agent: CONSOLE,
    names: ['ListCompartments', 'ListUsers', 'ListRegionSubscriptions', 'GetTenancy'],
  }),
  habit(15, {
    who: machine,
    source: 'VaultSecretApi',
    names: ['GetSecretBundle'],
    data: { resourceId: 'ocid1.vaultsecret.oc1..database' },
  }),
  habit(15, { who: machine, source: 'ObjectStorage', names: ['ListObjects', 'HeadBucket', 'GetBucket', 'GetNamespace', 'DeleteObject'] }),
  habit(10, {
    who: pipeline,
    source: 'ComputeApi',
    agent: TERRAFORM,
    names: ['ListInstances', 'GetImage', 'LaunchInstance', 'TerminateInstance', 'UpdateInstance'],
  }),
  habit(6, {
    who: pipeline,
    source: 'VirtualNetwork',
    agent: TERRAFORM,
    names: ['GetVcn', 'UpdateSecurityList', 'CreateSubnet', 'UpdateRouteTable'],
    data: state({ ingressSecurityRules: inside }),
  }),
  habit(2, {
    who: pipeline,
    source: 'VirtualNetwork',
    agent: TERRAFORM,
    names: ['UpdateSecurityList'],
    data: state({ ingressSecurityRules: web }),
  }),
  habit(4, { who: pipeline, source: 'FaaS', names: ['UpdateFunction', 'ListFunctions', 'CreateFunction'] }),
  habit(2, {
    who: pipeline,
    source: 'IdentityControlPlane',
    agent: TERRAFORM,
    names: ['UpdatePolicy', 'GetPolicy', 'UpdateDynamicGroup'],
    data: state({ statements: ['Allow group Developers to manage instances in compartment shop'] }),
  }),
  habit(8, {
    who: service,
    source: 'AutoScaling',
    names: ['ExecuteAutoScalingPolicy', 'LaunchInstance', 'TerminateInstance', 'UpdateInstancePool'],
  }),
  habit(8, {
    who: service,
    source: 'BlockVolumes',
    names: ['CreateVolumeBackup', 'DeleteVolumeBackup', 'CopyVolumeBackup', 'GetVolumeBackup'],
  }),
  habit(3, { who: service, source: 'DatabaseService', names: ['CreateBackup', 'DeleteBackup', 'GetAutonomousDatabase'] }),
  habit(5, { who: person, source: 'IdentitySignOn', agent: CONSOLE, names: ['InteractiveLogin'] }),
  habit(4, { who: person, source: 'ResourceManager', agent: CONSOLE, names: ['CreateJob', 'GetJobLogs', 'CreateStack', 'ListStacks'] }),
  habit(2, {
    who: person,
    source: 'ComputeApi',
    agent: CONSOLE,
    names: ['InstanceAction'],
    data: { request: { parameters: { action: ['SOFTRESET'] } } },
  }),
  habit(2, { who: person, source: 'LoadBalancer', agent: CONSOLE, names: ['UpdateListener', 'UpdateBackendSet', 'GetLoadBalancer'] }),
  habit(4, { who: person, source: 'Monitoring', agent: CONSOLE, names: ['SummarizeMetricsData', 'ListAlarmsStatus', 'UpdateAlarm'] }),
  habit(4, { who: person, source: 'Logging', agent: CONSOLE, names: ['SearchLogs', 'ListLogs', 'ListLogGroups'] }),
];
