import type { Plain } from '../read.js';
import { alicloudReaders } from './alicloud.js';
import { awsReaders } from './aws.js';
import { azureReaders } from './azure.js';
import { gcpReaders } from './gcp.js';
import { ibmReaders } from './ibm.js';
import { ociReaders } from './oci.js';
import type { Readers, TrafficRule } from './traffic-rule.js';

const READERS: Readers = { ...awsReaders, ...azureReaders, ...gcpReaders, ...ociReaders, ...alicloudReaders, ...ibmReaders };

/** The resource types whose rules are understood. */
export const FIREWALL_TYPES: readonly string[] = Object.keys(READERS);

/** The rules of a firewall-like resource in one form, in the order that they are asked in; none for other types. */
export function trafficRules(type: string, configuration: Plain): TrafficRule[] {
  const rules = READERS[type]?.(configuration) ?? [];
  return rules.sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
}
