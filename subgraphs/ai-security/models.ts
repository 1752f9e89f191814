import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';

/** Models, agents, endpoints and training data of the inventory: GET /ai-security/models. */
export const models = defineProjection({
  facet: facetOf('model'),
  type: 'AiAsset',
  field: 'ai_models',
  path: '/ai-security/models',
  tag: 'ai-security',
  things: 'models, agents, endpoints and training data',
  permission: 'ai_security:read',
});
