import type { Provider } from '../schema/model.js';
import { ALICLOUD_CALLS } from './alicloud/calls.js';
import { AWS_CALLS } from './aws/calls.js';
import { AZURE_CALLS } from './azure/calls.js';
import { GCP_CALLS } from './gcp/calls.js';
import { IBM_CALLS } from './ibm/calls.js';
import { K8S_CALLS } from './k8s/calls.js';
import { OCI_CALLS } from './oci/calls.js';
import type { ServiceCalls } from './service-calls.js';

/** Provider -> what is asked of it. Templates of roles are made of this table, so that they grant what is called and nothing else. */
export const CALLS: Readonly<Record<Provider, readonly ServiceCalls[]>> = {
  aws: AWS_CALLS,
  azure: AZURE_CALLS,
  gcp: GCP_CALLS,
  oci: OCI_CALLS,
  alicloud: ALICLOUD_CALLS,
  ibm: IBM_CALLS,
  k8s: K8S_CALLS,
};

/** The names of a provider's services that can be scanned. */
export const servicesOf = (provider: Provider): string[] => CALLS[provider].map(({ service }) => service);
