import type { Habit, Moment } from './ordinary-logs.js';

const SUBSCRIPTION = '00000000-0000-4000-8000-000000000001';
const DIRECTORY = '00000000-0000-4000-8000-0000000000dd';
const OBJECT_ID = 'http://schemas.microsoft.com/identity/claims/objectidentifier';
const idOf = (kind: string, no: number): string => `00000000-0000-4000-8000-${kind}${String(no).padStart(8, '0')}`;

interface Actor {
  readonly id: string;
  /** What the log calls them: a person by their name, a program by its id. */
  readonly caller: string;
}
type Who = (moment: Moment) => Actor;
const person: Who = ({ random }) => {
  const no = random.below(12);
  return { id: idOf('aaaa', no), caller: `person-${no}@acme.example` };
};
const program =
  (no: number): Who =>
  () => ({ id: idOf('bbbb', no), caller: idOf('bbbb', no) });
const [PIPELINE, BACKUP, AUTOSCALE, POLICY, TERRAFORM] = [1, 2, 3, 4, 5].map(program) as [Who, Who, Who, Who, Who];

/** An event of the activity log: https://learn.microsoft.com/azure/azure-monitor/platform/activity-log-schema */
function activity(action: string, who: Who, moment: Moment, properties: object = {}): object {
  const { id, caller } = who(moment);
  const resourceId = `/subscriptions/${SUBSCRIPTION}/resourceGroups/${moment.name('rg', 6)}/providers/${action.split('/').slice(0, 2).join('/')}/${moment.name('it', 30)}`;
  const failed = moment.random.chance(0.01);
  return {
    ...{
      eventDataId: moment.uuid(),
      eventTimestamp: moment.time,
      caller,
      subscriptionId: SUBSCRIPTION,
      resourceId,
      level: 'Informational',
    },
    ...{ operationName: { value: action }, authorization: { action, scope: resourceId }, category: { value: 'Administrative' } },
    ...{ status: { value: failed ? 'Failed' : 'Succeeded' }, claims: { [OBJECT_ID]: id, ipaddr: '203.0.113.10' }, properties },
  };
}

/** A sign-in: https://learn.microsoft.com/graph/api/resources/signin */
function signIn(moment: Moment, errorCode: number, more: object = {}): object {
  const { id, caller } = person(moment);
  return {
    ...{
      id: moment.uuid(),
      createdDateTime: moment.time,
      userId: id,
      userPrincipalName: caller,
      appId: idOf('cccc', 1),
      tenantId: DIRECTORY,
    },
    ...{ appDisplayName: moment.random.of(['Azure Portal', 'Office 365', 'Microsoft Teams', 'Azure CLI']), ipAddress: '203.0.113.10' },
    ...{
      clientAppUsed: 'Browser',
      isInteractive: true,
      riskLevelDuringSignIn: 'none',
      authenticationProtocol: 'none',
      status: { errorCode },
      ...more,
    },
  };
}

/** An audit of the directory: https://learn.microsoft.com/graph/api/resources/directoryaudit */
function audit(activityDisplayName: string, moment: Moment, initiatedBy: object, targetResources: object[] = []): object {
  return {
    ...{ id: moment.uuid(), activityDateTime: moment.time, activityDisplayName, result: 'success', loggedByService: 'Core Directory' },
    ...{
      initiatedBy,
      tenantId: DIRECTORY,
      targetResources: [{ id: moment.uuid(), type: 'User', displayName: moment.name('user', 90) }, ...targetResources],
    },
  };
}
const user = (moment: Moment) => {
  const { id, caller } = person(moment);
  return { user: { id, userPrincipalName: caller } };
};
const app = (displayName: string) => () => ({ app: { servicePrincipalId: idOf('bbbb', 9), displayName } });

const does = (weight: number, who: Who, actions: readonly string[], properties?: object): Habit => [
  weight,
  (moment) => activity(moment.random.of(actions), who, moment, properties),
];
const signsIn = (weight: number, errorCode: number, more?: object): Habit => [weight, (moment) => signIn(moment, errorCode, more)];
const audited = (weight: number, activities: readonly string[], by: (moment: Moment) => object): Habit => [
  weight,
  (moment) => audit(moment.random.of(activities), moment, by(moment)),
];
const requestbody = (value: object) => ({ requestbody: JSON.stringify(value) });
const rule = (port: string, source: string) =>
  requestbody({
    properties: { access: 'Allow', direction: 'Inbound', destinationPortRange: port, sourceAddressPrefix: source, protocol: 'Tcp' },
  });
const role = (id: string) => requestbody({ Properties: { RoleDefinitionId: `/subscriptions/${SUBSCRIPTION}/providers/x/${id}` } });

/** Deployments by pipelines and people, the portal, machines that come and go, policies, backups. */
const ACTIVITY: readonly Habit[] = [
  does(500, PIPELINE, [
    'Microsoft.Resources/deployments/write',
    'Microsoft.Resources/deployments/validate/action',
    'Microsoft.Web/sites/write',
  ]),
  does(200, PIPELINE, [
    'Microsoft.Web/sites/config/list/action',
    'Microsoft.Web/sites/publishxml/action',
    'Microsoft.Web/sites/restart/action',
  ]),
  does(200, PIPELINE, [
    'Microsoft.ContainerRegistry/registries/listCredentials/action',
    'Microsoft.ContainerService/managedClusters/write',
  ]),
  does(200, TERRAFORM, ['Microsoft.Storage/storageAccounts/write'], requestbody({ properties: { allowBlobPublicAccess: false } })),
  does(
    100,
    TERRAFORM,
    ['Microsoft.KeyVault/vaults/write'],
    requestbody({ properties: { networkAcls: { defaultAction: 'Deny' }, enablePurgeProtection: true } }),
  ),
  does(100, TERRAFORM, ['Microsoft.Authorization/roleAssignments/write'], role('acdd72a7-3385-48ef-bd42-f606fba81ae7')),
  does(100, TERRAFORM, ['Microsoft.Network/networkSecurityGroups/securityRules/write'], rule('443', 'Internet')),
  does(60, TERRAFORM, ['Microsoft.Network/networkSecurityGroups/securityRules/write'], rule('22', '10.0.0.0/8')),
  does(100, TERRAFORM, [
    'Microsoft.Network/virtualNetworks/write',
    'Microsoft.Network/routeTables/routes/write',
    'Microsoft.Network/dnsZones/A/write',
  ]),
  does(
    80,
    TERRAFORM,
    ['Microsoft.Compute/virtualMachines/extensions/write'],
    requestbody({ properties: { type: 'AzureMonitorLinuxAgent' } }),
  ),
  does(300, AUTOSCALE, [
    'Microsoft.Compute/virtualMachineScaleSets/write',
    'Microsoft.Insights/AutoscaleSettings/Scaleup/Action',
    'Microsoft.Insights/AutoscaleSettings/Scaledown/Action',
  ]),
  does(200, AUTOSCALE, [
    'Microsoft.Compute/virtualMachineScaleSets/virtualMachines/delete',
    'Microsoft.ContainerService/managedClusters/agentPools/write',
  ]),
  does(300, POLICY, [
    'Microsoft.Authorization/policies/audit/action',
    'Microsoft.Authorization/policies/deployIfNotExists/action',
    'Microsoft.Insights/diagnosticSettings/write',
  ]),
  does(200, BACKUP, [
    'Microsoft.RecoveryServices/vaults/backupFabrics/protectionContainers/protectedItems/backup/action',
    'Microsoft.Compute/restorePointCollections/restorePoints/write',
  ]),
  does(100, BACKUP, [
    'Microsoft.Compute/snapshots/write',
    'Microsoft.Compute/snapshots/delete',
    'Microsoft.Compute/disks/beginGetAccess/action',
  ]),
  does(60, BACKUP, [
    'Microsoft.DataProtection/backupVaults/backupInstances/backup/action',
    'Microsoft.Sql/servers/databases/export/action',
  ]),
  // people
  does(200, person, [
    'Microsoft.Compute/virtualMachines/start/action',
    'Microsoft.Compute/virtualMachines/deallocate/action',
    'Microsoft.Compute/virtualMachines/restart/action',
  ]),
  does(100, person, [
    'Microsoft.Resources/deployments/write',
    'Microsoft.Resources/tags/write',
    'Microsoft.Resources/subscriptions/resourceGroups/write',
  ]),
  does(100, person, [
    'Microsoft.Web/sites/config/list/action',
    'Microsoft.Web/sites/restart/action',
    'Microsoft.Web/sites/host/listkeys/action',
  ]),
  does(60, person, ['Microsoft.Storage/storageAccounts/listKeys/action']),
  does(
    40,
    person,
    ['Microsoft.Compute/virtualMachines/write'],
    requestbody({ properties: { hardwareProfile: { vmSize: 'Standard_D2s_v5' } } }),
  ),
  does(40, person, [
    'Microsoft.ContainerService/managedClusters/listClusterUserCredential/action',
    'Microsoft.Insights/metricAlerts/write',
  ]),
  does(10, person, ['Microsoft.Authorization/roleAssignments/write'], role('acdd72a7-3385-48ef-bd42-f606fba81ae7')),
  does(12, person, ['Microsoft.Compute/virtualMachines/delete']),
];

/** People and programs that sign in, mistype, are asked for a second factor, and the directory as it is kept by those who look after it. */
const DIRECTORY_HABITS: readonly Habit[] = [
  signsIn(900, 0, { authenticationRequirement: 'multiFactorAuthentication' }),
  signsIn(2_000, 0, { isInteractive: false, clientAppUsed: 'Mobile Apps and Desktop clients' }),
  signsIn(120, 50_126),
  signsIn(90, 50_074),
  signsIn(60, 50_140),
  signsIn(60, 50_055),
  signsIn(40, 65_001),
  signsIn(60, 53_003, { isInteractive: false }),
  signsIn(10, 50_053),
  [
    600,
    (moment) => ({
      ...signIn(moment, 0),
      userId: undefined,
      userPrincipalName: undefined,
      servicePrincipalId: idOf('bbbb', 1),
      servicePrincipalName: 'pipeline',
    }),
  ],
  audited(200, ['Update user', 'Add member to group', 'Remove member from group', 'Update group'], app('Provisioning')),
  audited(60, ['Update device', 'Register device', 'Add registered owner to device'], app('Device Registration Service')),
  audited(60, ['Add member to group', 'Remove member from group', 'Update user', 'Add user', 'Update group'], user),
  audited(
    40,
    ['Change user password', 'Reset password (self-service)', 'User registered security info', 'User changed default security info'],
    user,
  ),
  audited(20, ['Add service principal', 'Add app role assignment grant to user', 'Add delegated permission grant'], user),
];

/** What the activity log of a subscription and the logs of its directory are full of, but for what people do for others: passwords, guests, roles. */
export const AZURE_HABITS: readonly Habit[] = [...ACTIVITY, ...DIRECTORY_HABITS];
