import { createListingCollector } from '../listing/collector.js';
import { openIbm, type IbmCollectorOptions } from './client.js';
import { IBM_SERVICES } from './services.js';

/** Asks IBM Cloud what there is, service by service. */
export const createIbmCollector = (options: IbmCollectorOptions) =>
  createListingCollector({
    services: IBM_SERVICES,
    open: (target) => openIbm(options, target),
    nothing: 'The service id of the API key may read nothing in the account: it needs the policies of the template there.',
  });
