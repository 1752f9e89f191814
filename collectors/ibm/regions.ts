import type { Line } from '../listing/line.js';

/** The version of the interface of virtual private clouds that is spoken. */
export const VERSION = 'version=2025-04-22&generation=2';

/** Every region tells all regions, and every caller may ask for them. */
export const REGIONS: Line = { call: 'list-regions', permission: '', host: 'us-south.iaas.cloud.ibm.com', path: `/v1/regions?${VERSION}` };
