import { createListingCollector } from '../listing/collector.js';
import { openOci, type OciCollectorOptions } from './client.js';
import { OCI_SERVICES } from './services.js';

/** Asks Oracle Cloud Infrastructure what there is, compartment by compartment. */
export const createOciCollector = (options: OciCollectorOptions) =>
  createListingCollector({
    services: OCI_SERVICES,
    open: (target) => openOci(options, target),
    nothing: 'The user of the API key may read nothing in the tenancy: its group needs the policy of the template.',
  });
