import type { ServiceCalls } from '../service-calls.js';

/** Actions of Azure resource providers. */
export const AZURE_CALLS: readonly ServiceCalls[] = [
  { service: 'resource-graph', permissions: ['Microsoft.ResourceGraph/resources/read', 'Microsoft.Resources/subscriptions/read'] },
  {
    service: 'storage',
    permissions: ['Microsoft.Storage/storageAccounts/read', 'Microsoft.Storage/storageAccounts/blobServices/read'],
  },
  {
    service: 'compute',
    permissions: ['Microsoft.Compute/virtualMachines/read', 'Microsoft.Compute/disks/read', 'Microsoft.Compute/snapshots/read'],
  },
  {
    service: 'network',
    permissions: [
      'Microsoft.Network/networkSecurityGroups/read',
      'Microsoft.Network/virtualNetworks/read',
      'Microsoft.Network/publicIPAddresses/read',
      'Microsoft.Network/networkInterfaces/read',
    ],
  },
  {
    service: 'sql',
    permissions: ['Microsoft.Sql/servers/read', 'Microsoft.Sql/servers/databases/read', 'Microsoft.Sql/servers/firewallRules/read'],
  },
  { service: 'key-vault', permissions: ['Microsoft.KeyVault/vaults/read'] },
  { service: 'aks', permissions: ['Microsoft.ContainerService/managedClusters/read'] },
  {
    service: 'authorization',
    permissions: ['Microsoft.Authorization/roleAssignments/read', 'Microsoft.Authorization/roleDefinitions/read'],
  },
];
