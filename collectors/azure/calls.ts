import type { ServiceCalls } from '../service-calls.js';
import { listsOf } from './diagnosed.js';
import { AZURE_SERVICES } from './services.js';
import { SITE_CONFIGS } from './site-configs.js';

/** Who may read what, before anything is asked. */
const BASE: ServiceCalls = {
  service: 'resource-graph',
  permissions: [
    'Microsoft.ResourceGraph/resources/read',
    'Microsoft.Resources/subscriptions/read',
    'Microsoft.Authorization/permissions/read',
  ],
};

/** Actions of Azure resource providers: the graph shows of each type what one may read of it, so that its tables take the actions of their types. */
export const AZURE_CALLS: readonly ServiceCalls[] = [
  BASE,
  ...AZURE_SERVICES.map((of) => {
    const { service, graph } = of;
    const asked = [...Object.values(graph).flat(), ...listsOf(of).map(({ type }) => type), ...(service === 'web' ? SITE_CONFIGS : [])];
    return { service, permissions: [...new Set(asked)].map((type) => `${type}/read`) };
  }),
];
