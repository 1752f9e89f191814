import { callsOf } from '../listing/line.js';
import type { ServiceCalls } from '../service-calls.js';
import { IBM_SERVICES } from './services.js';

/** Services of IBM Cloud, each with the roles that read it. */
export const IBM_CALLS: readonly ServiceCalls[] = callsOf(IBM_SERVICES);
