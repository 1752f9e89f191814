import type { Clock } from '../kit/base/clock.js';
import type { Config } from '../kit/base/config.js';
import type { Outbound } from '../kit/outbound/outbound.js';
import type { Provider } from '../schema/model.js';
import { createAlicloudCollector } from './alicloud/collector.js';
import { createAwsCollector } from './aws/collector.js';
import { createAzureCollector } from './azure/collector.js';
import { createGcpCollector } from './gcp/collector.js';
import { createIbmCollector } from './ibm/collector.js';
import { createK8sCollector } from './k8s/collector.js';
import { createOciCollector } from './oci/collector.js';
import type { Collector } from './types.js';

/** The collectors by provider; a process may have some only, and says so where it is asked for another. */
export type Collectors = Readonly<Partial<Record<Provider, Collector>>>;

/** What collectors are made of. */
interface CollectorServices {
  readonly config: Pick<Config, 'COLLECTOR_AWS_ACCESS_KEY_ID' | 'COLLECTOR_AWS_SECRET_ACCESS_KEY'>;
  readonly outbound: Outbound;
  readonly clock: Clock;
}

/** The collectors that there are. What they use of the process is what its configuration names for them, and nothing else (decision 61). */
export function collectorsOf({ config, outbound, clock }: CollectorServices): Collectors {
  const { COLLECTOR_AWS_ACCESS_KEY_ID: access_key_id, COLLECTOR_AWS_SECRET_ACCESS_KEY: secret_access_key } = config;
  const identity = access_key_id && secret_access_key ? { access_key_id, secret_access_key } : null;
  return {
    aws: createAwsCollector({ outbound, clock, identity }),
    azure: createAzureCollector({ outbound, clock }),
    gcp: createGcpCollector({ outbound, clock }),
    alicloud: createAlicloudCollector({ outbound, clock }),
    ibm: createIbmCollector({ outbound, clock }),
    oci: createOciCollector({ outbound, clock }),
    k8s: createK8sCollector({ outbound, clock }),
  };
}
