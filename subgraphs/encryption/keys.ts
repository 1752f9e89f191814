import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';

/** Keys, certificates and secrets of the inventory: GET /encryption/keys. */
export const keys = defineProjection({
  facet: facetOf('key'),
  type: 'KeyOrCertificate',
  field: 'encryption_keys',
  path: '/encryption/keys',
  tag: 'encryption',
  things: 'keys, certificates and secrets',
  permission: 'encryption:read',
});
