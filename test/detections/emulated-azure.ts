import type { Emulated } from './emulated.js';
import { azure } from './records.js';

const entra = (activityDisplayName: string, targetResources: object[] = [{ id: 't1' }]): object => [
  {
    ...{ id: 'a1', activityDateTime: '2030-01-01T10:00:00Z', activityDisplayName, result: 'success', loggedByService: 'Core Directory' },
    ...{ initiatedBy: { user: { id: 'u1', userPrincipalName: 'ann@x.example' } }, targetResources },
  },
];

/** https://stratus-red-team.cloud/attack-techniques/azure/ and .../entra-id/ */
export const AZURE: readonly Emulated[] = [
  [
    'vm-custom-script-extension',
    ['T1059', 'T1651'],
    azure('Microsoft.Compute/virtualMachines/extensions/write', { requestbody: '{"properties":{"type":"CustomScriptExtension"}}' }),
  ],
  ['vm-run-command', ['T1651', 'T1059'], azure('Microsoft.Compute/virtualMachines/runCommand/action')],
  ['disk-export', ['T1537', 'T1530'], azure('Microsoft.Compute/disks/beginGetAccess/action')],
  [
    'storage-sas-export',
    ['T1552', 'T1528', 'T1550', 'T1530', 'T1098.001'],
    azure('Microsoft.Storage/storageAccounts/listAccountSas/action'),
  ],
  ['create-bastion-shareable-link', ['T1098', 'T1133'], azure('Microsoft.Network/bastionHosts/createShareableLinks/action')],
  ['event-hub-deletion', ['T1562.008', 'T1562'], azure('Microsoft.EventHub/namespaces/eventhubs/delete')],
  ['event-hub-namespace-deletion', ['T1562.008', 'T1562'], azure('Microsoft.EventHub/namespaces/delete')],
  ['delete-diagnostic-settings', ['T1562.008'], azure('Microsoft.Insights/diagnosticSettings/delete')],
  ['delete-resource-lock', ['T1562', 'T1562.001', 'T1485'], azure('Microsoft.Authorization/locks/delete')],
  ['elevate-access', ['T1098.003', 'T1548', 'T1548.005', 'T1078.004'], azure('Microsoft.Authorization/elevateAccess/action')],
  ['entra backdoor-application', ['T1098.001'], entra('Update application – Certificates and secrets management ')],
  ['entra backdoor-application-sp', ['T1098.001'], entra('Add service principal credentials')],
  ['entra guest-user', ['T1136.003'], entra('Invite external user')],
  [
    'entra hidden-au',
    ['T1098.003', 'T1098', 'T1564'],
    entra('Add administrative unit', [{ id: 't1', modifiedProperties: [{ displayName: 'Visibility', newValue: '["HiddenMembership"]' }] }]),
  ],
  [
    'entra restricted-au',
    ['T1098', 'T1098.003', 'T1562', 'T1531'],
    entra('Add administrative unit', [
      { id: 't1', modifiedProperties: [{ displayName: 'IsMemberManagementRestricted', newValue: '[true]' }] },
    ]),
  ],
  [
    'entra new-application',
    ['T1098.003'],
    entra('Add member to role', [
      { id: 't1', modifiedProperties: [{ displayName: 'Role.DisplayName', newValue: '"Global Administrator"' }] },
    ]),
  ],
];
