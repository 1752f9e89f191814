import type { ServiceCalls } from '../service-calls.js';

/** Services of IBM Cloud, each with the roles that read it. */
export const IBM_CALLS: readonly ServiceCalls[] = [
  { service: 'resource-controller', permissions: ['Viewer'] },
  { service: 'cloud-object-storage', permissions: ['Viewer', 'Reader'] },
  { service: 'is', permissions: ['Viewer'] },
  { service: 'databases-for-postgresql', permissions: ['Viewer'] },
  { service: 'kms', permissions: ['Viewer', 'Reader'] },
  { service: 'containers-kubernetes', permissions: ['Viewer', 'Reader'] },
  { service: 'iam-identity', permissions: ['Viewer'] },
];
