import type { ServiceCalls } from '../service-calls.js';

/** Resource types of OCI policies, each to be inspected or read. */
export const OCI_CALLS: readonly ServiceCalls[] = [
  { service: 'search', permissions: ['inspect all-resources'] },
  { service: 'object-storage', permissions: ['read buckets'] },
  { service: 'compute', permissions: ['read instances', 'read volumes'] },
  { service: 'network', permissions: ['read virtual-network-family'] },
  { service: 'database', permissions: ['read autonomous-databases', 'read db-systems'] },
  { service: 'vault', permissions: ['inspect keys', 'inspect vaults'] },
  { service: 'identity', permissions: ['inspect users', 'inspect groups', 'inspect policies', 'inspect dynamic-groups'] },
];
