import type { ReadingSource } from '../../../kit/projections/facet.js';

/** Hosts and containers that no cloud tells of: agents and scanners report them. */
export const reported: ReadingSource = {
  types: new Set(['host', 'container']),
  samples: [
    { provider: 'aws', resource_type: 'host', resource_uid: 'web-1.example.com', configuration: {} },
    { provider: 'aws', resource_type: 'container', resource_uid: 'web-1.example.com/shop', configuration: {} },
  ],
  // to be raised with whatever is read differently
  version: '1',
  evaluate: ({ resource_type }) => ({ kind: resource_type === 'host' ? 'vm' : 'container' }),
};
