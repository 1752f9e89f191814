import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';

/** Users, roles, groups, service accounts and what assigns rights to them: GET /iam-security/identities. */
export const identities = defineProjection({
  facet: facetOf('identity'),
  type: 'Identity',
  field: 'iam_identities',
  path: '/iam-security/identities',
  tag: 'iam-security',
  things: 'identities',
  permission: 'iam:read',
});
