import { callsOf } from '../listing/line.js';
import type { ServiceCalls } from '../service-calls.js';
import { PLACES } from './places.js';
import { OCI_SERVICES } from './services.js';

/** Where to ask, before anything is asked. */
const BASE: ServiceCalls = { service: 'tenancy', permissions: Object.values(PLACES).map(({ permission }) => permission) };

/** Verbs and resource types of OCI policies. */
export const OCI_CALLS: readonly ServiceCalls[] = [BASE, ...callsOf(OCI_SERVICES)];
