import type { ServiceCalls } from '../service-calls.js';

/** IAM permissions of Google Cloud. */
export const GCP_CALLS: readonly ServiceCalls[] = [
  {
    service: 'cloudasset',
    permissions: ['cloudasset.assets.exportResource', 'cloudasset.assets.exportIamPolicy', 'cloudasset.assets.listResource'],
  },
  { service: 'resourcemanager', permissions: ['resourcemanager.projects.get', 'resourcemanager.projects.getIamPolicy'] },
  { service: 'storage', permissions: ['storage.buckets.list', 'storage.buckets.get', 'storage.buckets.getIamPolicy'] },
  {
    service: 'compute',
    permissions: [
      'compute.instances.list',
      'compute.disks.list',
      'compute.firewalls.list',
      'compute.networks.list',
      'compute.subnetworks.list',
    ],
  },
  { service: 'cloudsql', permissions: ['cloudsql.instances.list'] },
  { service: 'cloudkms', permissions: ['cloudkms.keyRings.list', 'cloudkms.cryptoKeys.list', 'cloudkms.cryptoKeys.getIamPolicy'] },
  { service: 'iam', permissions: ['iam.serviceAccounts.list', 'iam.serviceAccountKeys.list', 'iam.roles.list'] },
  { service: 'container', permissions: ['container.clusters.list'] },
];
