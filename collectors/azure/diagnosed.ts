import type { AzureList, AzureService } from './asked.js';

const TYPE = 'Microsoft.Insights/diagnosticSettings';

/**
 * Namespaces and types whose diagnostic settings rules ask for. It must be all of them: where some settings are told, a thing of these types without one counts as
 * one that has none.
 */
const DIAGNOSED: Readonly<Record<string, string>> = {
  AAD: 'domainServices',
  AVS: 'privateClouds',
  AnalysisServices: 'servers',
  ApiManagement: 'service',
  App: 'managedEnvironments',
  AppConfiguration: 'configurationStores',
  Automation: 'automationAccounts',
  Batch: 'batchAccounts',
  BotService: 'botServices',
  Cache: 'redis redisEnterprise',
  Cdn: 'profiles',
  CognitiveServices: 'accounts',
  ContainerRegistry: 'registries',
  ContainerService: 'managedClusters',
  DBforMySQL: 'flexibleServers',
  DBforPostgreSQL: 'flexibleServers serverGroupsv2',
  Dashboard: 'grafana',
  DataFactory: 'factories',
  DataProtection: 'backupVaults',
  Databricks: 'workspaces',
  DesktopVirtualization: 'hostPools workspaces',
  DevCenter: 'devcenters',
  DeviceUpdate: 'accounts',
  Devices: 'IotHubs provisioningServices',
  DocumentDB: 'databaseAccounts mongoClusters cassandraClusters',
  EventGrid: 'topics domains namespaces partnerNamespaces',
  EventHub: 'namespaces',
  HDInsight: 'clusters',
  HealthcareApis: 'services workspaces/dicomservices',
  Insights: 'components',
  IoTCentral: 'iotApps',
  KeyVault: 'vaults managedHSMs',
  Kusto: 'clusters',
  LoadTestService: 'loadTests',
  Logic: 'workflows',
  MachineLearningServices: 'workspaces',
  NetApp: 'netAppAccounts/capacityPools/volumes',
  Network: `networkSecurityGroups virtualNetworks publicIPAddresses applicationGateways azureFirewalls bastionHosts loadBalancers
    virtualNetworkGateways vpnGateways expressRouteCircuits trafficManagerProfiles frontDoors`,
  NotificationHubs: 'namespaces',
  OperationalInsights: 'workspaces',
  Purview: 'accounts',
  RecoveryServices: 'vaults',
  Search: 'searchServices',
  ServiceBus: 'namespaces',
  SignalRService: 'SignalR WebPubSub',
  Sql: 'servers/databases managedInstances',
  Storage: 'storageAccounts',
  StorageSync: 'storageSyncServices',
  StreamAnalytics: 'streamingjobs',
  Synapse: 'workspaces workspaces/sqlPools',
  VideoIndexer: 'accounts',
  Web: 'sites sites/slots hostingEnvironments',
};

const types = new Set(
  Object.entries(DIAGNOSED).flatMap(([namespace, names]) => names.split(/\s+/).map((name) => `Microsoft.${namespace}/${name}`)),
);

/** The lists of a service: its own, and the diagnostic settings of its things. */
export function listsOf({ graph, lists = [] }: AzureService): readonly AzureList[] {
  const of = Object.values(graph)
    .flat()
    .filter((type) => types.has(type));
  return of.length === 0 ? lists : [...lists, { type: TYPE, of, path: `/providers/${TYPE}`, version: '2021-05-01-preview' }];
}
