import { many, type Emulated } from './emulated.js';
import { oci } from './records.js';

const identity = 'IdentityControlPlane';
const network = 'VirtualNetwork';
const compute = 'ComputeApi';
const state = (current: object) => ({ stateChange: { previous: {}, current } });
/** So many calls, each about another resource and a second later. */
const calls = (eventName: string, source: string, count: number, own: (n: number) => object = () => ({})): object[] =>
  many(
    (n) => oci(eventName, source, { resourceId: `ocid1.thing.oc1.eu-frankfurt-1.${n}`, resourceName: `thing-${n}`, ...own(n) }, n),
    count,
  );

/** What an attacker does in a tenancy, by what the audit log tells of it: https://docs.oracle.com/iaas/Content/Audit/Reference/logeventreference.htm */
export const OCI: readonly Emulated[] = [
  ['key for another user', ['T1098.001'], oci('UploadApiKey', identity)],
  ['token for another user', ['T1098.001'], oci('CreateAuthToken', identity)],
  ['user', ['T1136.003'], oci('CreateUser', identity)],
  ['member of administrators', ['T1098.003'], oci('AddUserToGroup', identity)],
  [
    'policy over everything',
    ['T1098.003'],
    oci('CreatePolicy', identity, state({ statements: ['Allow group x to manage all-resources in tenancy'] })),
  ],
  [
    'policy for another tenancy',
    ['T1199'],
    oci(
      'CreatePolicy',
      identity,
      state({ statements: ['Define tenancy other as ocid1.tenancy.oc1..x', 'Admit group y of tenancy other to read buckets'] }),
    ),
  ],
  ['identity provider', ['T1484.002'], oci('CreateIdentityProvider', identity)],
  ['second factor removed', ['T1556.006'], oci('DeleteMfaTotpDevice', identity)],
  ['passwords tried', ['T1110.001'], many((n) => oci('InteractiveLogin', 'IdentitySignOn', { response: { status: '401' } }, n), 12)],
  ['retention of the audit log', ['T1562.008'], oci('UpdateConfiguration', 'Audit')],
  ['log deleted', ['T1562.008'], oci('DeleteLog', 'Logging')],
  ['log disabled', ['T1562.008'], oci('UpdateLog', 'Logging', state({ isEnabled: false }))],
  ['alarm deleted', ['T1562.001'], oci('DeleteAlarm', 'Monitoring')],
  ['target of Cloud Guard deleted', ['T1562.001'], oci('DeleteTarget', 'CloudGuardCPApi')],
  ['Cloud Guard disabled', ['T1562.001'], oci('UpdateConfiguration', 'CloudGuardCPApi', state({ status: 'DISABLED' }))],
  ['security zone deleted', ['T1666', 'T1562.001'], oci('DeleteSecurityZone', 'SecurityZones')],
  [
    'port opened',
    ['T1562.007'],
    oci(
      'UpdateSecurityList',
      network,
      state({ ingressSecurityRules: [{ protocol: '6', source: '0.0.0.0/0', tcpOptions: { destinationPortRange: { min: 22, max: 22 } } }] }),
    ),
  ],
  ['traffic mirrored', ['T1040'], oci('CreateVtap', network)],
  ['machines with accelerators', ['T1496.001'], oci('LaunchInstance', compute, { request: { parameters: { shape: ['BM.GPU4.8'] } } })],
  ['command on machines', ['T1651'], oci('CreateInstanceAgentCommand', 'ComputeInstanceAgent')],
  ['serial console', ['T1021.008'], oci('CreateInstanceConsoleConnection', compute)],
  ['image exported', ['T1537'], oci('ExportImage', compute)],
  ['machines deleted', ['T1485', 'T1578.003'], calls('TerminateInstance', compute, 6)],
  ['machines stopped', ['T1489', 'T1529'], calls('InstanceAction', compute, 12, () => ({ request: { parameters: { action: ['STOP'] } } }))],
  ['resources deleted in one call', ['T1485'], oci('BulkDeleteResources', identity)],
  ['backups deleted', ['T1490'], oci('DeleteVolumeBackup', 'BlockVolumes')],
  ['link to objects', ['T1537', 'T1567'], oci('CreatePreauthenticatedRequest', 'ObjectStorage')],
  ['bucket opened', ['T1530'], oci('UpdateBucket', 'ObjectStorage', state({ publicAccessType: 'ObjectRead' }))],
  ['bucket replicated', ['T1537'], oci('CreateReplicationPolicy', 'ObjectStorage')],
  ['objects deleted', ['T1485'], calls('DeleteObject', 'ObjectStorage', 60)],
  [
    'objects deleted in one call',
    ['T1485'],
    oci('BatchDeleteObjects', 'ObjectStorage', {
      request: { parameters: { objects: Array.from({ length: 60 }, (_, n) => ({ objectName: `key-${n}` })) } },
    }),
  ],
  ['key deleted', ['T1485', 'T1486'], oci('ScheduleKeyDeletion', 'KeyManagementService')],
  ['secrets read', ['T1555.006'], calls('GetSecretBundle', 'VaultSecretApi', 12)],
  ['database opened', ['T1190'], oci('UpdateAutonomousDatabase', 'DatabaseService', state({ whitelistedIps: ['0.0.0.0/0'] }))],
  ['region added', ['T1535'], oci('CreateRegionSubscription', identity)],
  ['models used', ['T1496.004'], calls('Chat', 'GenerativeAiInference', 120, () => ({}))],
  [
    'looked around',
    ['T1087.004', 'T1580'],
    many(
      (n) =>
        oci(
          [
            'ListUsers',
            'ListGroups',
            'ListPolicies',
            'ListCompartments',
            'ListBuckets',
            'ListVaults',
            'ListFunctions',
            'ListSecrets',
            'ListVcns',
            'ListApiKeys',
            'ListClusters',
            'ListDbSystems',
          ][n]!,
          identity,
          {},
          n,
        ),
      12,
    ),
  ],
  [
    'rights tried out',
    ['T1526'],
    many((n) => oci(`Get${n}`, compute, { response: { status: '404', message: 'NotAuthorizedOrNotFound' } }, n), 16),
  ],
  ['function changed', ['T1648'], oci('UpdateFunction', 'FaaS')],
];
