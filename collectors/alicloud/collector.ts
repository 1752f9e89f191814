import { createListingCollector } from '../listing/collector.js';
import { openAlicloud, type AlicloudCollectorOptions } from './client.js';
import { ALICLOUD_SERVICES } from './services.js';

/** Asks Alibaba Cloud what there is, service by service. */
export const createAlicloudCollector = (options: AlicloudCollectorOptions) =>
  createListingCollector({
    services: ALICLOUD_SERVICES,
    open: (target) => openAlicloud(options, target),
    nothing: 'The RAM user of the AccessKey may read nothing in the account: it needs the policy of the template.',
  });
