import type { AzureList, AzureService } from './asked.js';

/** Under a thing, by the last part of the type: `Microsoft.Sql/servers/firewallRules` below each server. */
const below = (type: string, version: string, more: Partial<AzureList> = {}): AzureList => {
  const at = type.lastIndexOf('/');
  return { type, of: [type.slice(0, at)], path: type.slice(at), version, ...more };
};
const ofSubscription = (type: string, version: string): AzureList => ({ type, path: `/providers/${type}`, version });
/** Types of one namespace. */
const types = (namespace: string, names: string): string[] => names.split(/\s+/).map((name) => `${namespace}/${name}`);

const MODELS = /^(OpenAI|AIServices)$/i;

/** By service, named by what people call it; what `importers/cloud/tables/azure.yaml` reads, without what is retired and what holds secrets in its lists. */
export const AZURE_SERVICES: readonly AzureService[] = [
  {
    service: 'authorization',
    graph: {
      authorizationresources: types('Microsoft.Authorization', 'roleAssignments roleDefinitions'),
      policyresources: ['Microsoft.Authorization/policyAssignments'],
      resourcecontainers: ['Microsoft.Resources/subscriptions/resourceGroups'],
      managedserviceresources: ['Microsoft.ManagedServices/registrationDefinitions'],
    },
    lists: [ofSubscription('Microsoft.Authorization/locks', '2020-05-01')],
  },
  {
    service: 'storage',
    graph: {
      resources: [
        'Microsoft.Storage/storageAccounts',
        'Microsoft.StorageCache/caches',
        'Microsoft.StorageSync/storageSyncServices',
        'Microsoft.ElasticSan/elasticSans',
        ...types('Microsoft.NetApp', 'netAppAccounts netAppAccounts/capacityPools/volumes'),
      ],
    },
    lists: [
      {
        type: 'Microsoft.Storage/storageAccounts/blobServices/containers',
        of: ['Microsoft.Storage/storageAccounts'],
        // accounts for files have no containers, and refuse the question
        kinds: /^(Storage|StorageV2|BlobStorage|BlockBlobStorage)$/i,
        path: '/blobServices/default/containers',
        version: '2023-05-01',
      },
    ],
  },
  {
    service: 'compute',
    graph: {
      resources: [
        ...types(
          'Microsoft.Compute',
          `virtualMachines virtualMachines/extensions virtualMachineScaleSets disks snapshots images galleries diskEncryptionSets diskAccesses
          sshPublicKeys availabilitySets`,
        ),
        ...types('Microsoft.HybridCompute', 'machines/extensions privateLinkScopes'),
        'Microsoft.SqlVirtualMachine/sqlVirtualMachines',
        ...types('Microsoft.DesktopVirtualization', 'hostPools workspaces'),
        'Microsoft.AVS/privateClouds',
        'Microsoft.Batch/batchAccounts',
      ],
      batchresources: ['Microsoft.Batch/batchAccounts/pools'],
    },
  },
  {
    service: 'network',
    graph: {
      resources: [
        ...types(
          'Microsoft.Network',
          `networkSecurityGroups virtualNetworks publicIPAddresses networkInterfaces routeTables applicationGateways
          ApplicationGatewayWebApplicationFirewallPolicies frontDoorWebApplicationFirewallPolicies azureFirewalls firewallPolicies bastionHosts
          loadBalancers virtualNetworkGateways connections natGateways privateEndpoints virtualWans virtualHubs vpnGateways
          vpnServerConfigurations expressRouteCircuits dnsZones privateDnsZones networkWatchers networkWatchers/flowLogs ddosProtectionPlans
          trafficManagerProfiles applicationSecurityGroups frontDoors`,
        ),
        ...types('Microsoft.Cdn', 'profiles profiles/endpoints'),
      ],
    },
  },
  {
    service: 'sql',
    graph: {
      resources: types('Microsoft.Sql', 'servers servers/databases servers/elasticPools managedInstances'),
    },
    lists: [
      ...types(
        'Microsoft.Sql',
        `servers/firewallRules servers/auditingSettings servers/securityAlertPolicies servers/vulnerabilityAssessments servers/encryptionProtector
        servers/databases/auditingSettings managedInstances/vulnerabilityAssessments managedInstances/administrators`,
      ).map((type) => below(type, '2021-11-01')),
    ],
  },
  {
    service: 'databases',
    graph: {
      resources: [
        ...types('Microsoft.DBforPostgreSQL', 'flexibleServers serverGroupsv2'),
        'Microsoft.DBforMySQL/flexibleServers',
        ...types('Microsoft.Cache', 'redis redisEnterprise'),
        ...types('Microsoft.DocumentDB', 'databaseAccounts mongoClusters cassandraClusters'),
        'Oracle.Database/autonomousDatabases',
      ],
    },
    lists: [
      ...types(
        'Microsoft.DBforPostgreSQL',
        'flexibleServers/firewallRules flexibleServers/configurations flexibleServers/administrators',
      ).map((type) => below(type, '2022-12-01')),
      below('Microsoft.DBforPostgreSQL/serverGroupsv2/firewallRules', '2022-11-08'),
      ...types('Microsoft.DBforMySQL', 'flexibleServers/firewallRules flexibleServers/configurations').map((type) =>
        below(type, '2021-05-01'),
      ),
      below('Microsoft.DBforMySQL/flexibleServers/administrators', '2022-01-01'),
      below('Microsoft.Cache/redis/firewallRules', '2023-08-01'),
      below('Microsoft.Cache/redisEnterprise/databases', '2023-11-01'),
      below('Microsoft.DocumentDB/mongoClusters/firewallRules', '2024-07-01'),
    ],
  },
  {
    service: 'key-vault',
    graph: { resources: types('Microsoft.KeyVault', 'vaults managedHSMs') },
    lists: [below('Microsoft.KeyVault/vaults/keys', '2023-07-01')],
  },
  {
    service: 'aks',
    graph: {
      resources: [
        'Microsoft.ContainerService/managedClusters',
        'Microsoft.Kubernetes/connectedClusters',
        'Microsoft.RedHatOpenShift/openShiftClusters',
      ],
      kubernetesconfigurationresources: ['Microsoft.KubernetesConfiguration/fluxConfigurations'],
    },
    lists: [below('Microsoft.ContainerService/managedClusters/agentPools', '2024-02-01')],
  },
  {
    service: 'containers',
    graph: {
      resources: [
        ...types('Microsoft.ContainerRegistry', 'registries registries/webhooks registries/tasks'),
        'Microsoft.ContainerInstance/containerGroups',
        ...types('Microsoft.App', 'containerApps managedEnvironments jobs'),
        ...types('Microsoft.ServiceFabric', 'clusters managedClusters'),
      ],
    },
  },
  {
    service: 'web',
    graph: {
      resources: [
        ...types('Microsoft.Web', 'sites sites/slots serverfarms staticSites certificates hostingEnvironments'),
        'Microsoft.ApiManagement/service',
        'Microsoft.SignalRService/SignalR',
        'Microsoft.SignalRService/WebPubSub',
        'Microsoft.Logic/workflows',
      ],
    },
    lists: types('Microsoft.ApiManagement', 'service/apis service/products').map((type) => below(type, '2022-08-01')),
  },
  {
    service: 'messaging',
    graph: {
      resources: [
        'Microsoft.EventHub/namespaces',
        'Microsoft.ServiceBus/namespaces',
        ...types('Microsoft.EventGrid', 'topics domains namespaces partnerNamespaces'),
        'Microsoft.NotificationHubs/namespaces',
        ...types('Microsoft.Devices', 'IotHubs provisioningServices'),
        'Microsoft.DeviceUpdate/accounts',
        'Microsoft.IoTCentral/iotApps',
      ],
    },
  },
  {
    service: 'analytics',
    graph: {
      resources: [
        'Microsoft.Databricks/workspaces',
        ...types('Microsoft.Synapse', 'workspaces workspaces/sqlPools'),
        'Microsoft.Kusto/clusters',
        'Microsoft.DataFactory/factories',
        'Microsoft.HDInsight/clusters',
        'Microsoft.Purview/accounts',
        'Microsoft.StreamAnalytics/streamingjobs',
        'Microsoft.AnalysisServices/servers',
        'Microsoft.Dashboard/grafana',
        ...types('Microsoft.HealthcareApis', 'services workspaces workspaces/dicomservices'),
      ],
    },
    lists: [below('Microsoft.Synapse/workspaces/firewallRules', '2021-06-01')],
  },
  {
    service: 'ai',
    graph: {
      resources: [
        'Microsoft.CognitiveServices/accounts',
        'Microsoft.MachineLearningServices/workspaces',
        'Microsoft.Search/searchServices',
        'Microsoft.BotService/botServices',
        'Microsoft.VideoIndexer/accounts',
      ],
    },
    lists: [
      below('Microsoft.CognitiveServices/accounts/deployments', '2024-10-01', { kinds: MODELS }),
      below('Microsoft.CognitiveServices/accounts/raiPolicies', '2024-10-01', { kinds: MODELS }),
      below('Microsoft.MachineLearningServices/workspaces/computes', '2024-04-01'),
    ],
  },
  {
    service: 'identity',
    graph: { resources: ['Microsoft.ManagedIdentity/userAssignedIdentities', 'Microsoft.AAD/domainServices'] },
    lists: [below('Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials', '2023-01-31')],
  },
  {
    service: 'management',
    graph: {
      resources: [
        ...types('Microsoft.Automation', 'automationAccounts automationAccounts/runbooks'),
        'Microsoft.RecoveryServices/vaults',
        'Microsoft.DataProtection/backupVaults',
        ...types('Microsoft.Insights', 'actionGroups activityLogAlerts components dataCollectionEndpoints'),
        'Microsoft.OperationalInsights/workspaces',
        'Microsoft.Monitor/accounts',
        'Microsoft.Security/automations',
        'Microsoft.AppConfiguration/configurationStores',
        'Microsoft.ConfidentialLedger/ledgers',
        'Microsoft.Maps/accounts',
        'Microsoft.LoadTestService/loadTests',
        'Microsoft.DevCenter/devcenters',
        'Microsoft.DevTestLab/labs',
        'Microsoft.Workloads/sapVirtualInstances',
      ],
      securityresources: ['Microsoft.Security/pricings'],
    },
  },
];
