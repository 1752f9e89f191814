import { callsOf } from '../listing/line.js';
import type { ServiceCalls } from '../service-calls.js';
import { REGIONS } from './product.js';
import { ALICLOUD_SERVICES } from './services.js';

/** Where to ask, before anything is asked. */
const BASE: ServiceCalls = { service: 'regions', permissions: [REGIONS.permission] };

/** RAM actions of Alibaba Cloud. */
export const ALICLOUD_CALLS: readonly ServiceCalls[] = [BASE, ...callsOf(ALICLOUD_SERVICES)];
