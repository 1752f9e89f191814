import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';
import { joinSources } from '../../kit/projections/join.js';
import type { ReadingSource } from '../../kit/projections/facet.js';

/** The type that importers give to the code that scanners have looked at. */
const TYPE = 'code_repository';
const URL = /^(?:[a-z+]+:\/\/)?(?:[^@/\s]+@)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?::\d+)?[/:]([\w.~-]+(?:\/[\w.~-]+)+)$/i;

/** Code that a scanner has looked at: its name tells a host where it is an address, and nothing else. */
const scanned: ReadingSource = {
  types: new Set([TYPE]),
  samples: [
    { provider: 'k8s', resource_type: TYPE, resource_uid: 'https://github.com/shop/cart', configuration: {} },
    { provider: 'k8s', resource_type: TYPE, resource_uid: 'git@gitlab.example.com:shop/cart', configuration: {} },
    { provider: 'k8s', resource_type: TYPE, resource_uid: 'cart', configuration: {} },
  ],
  // to be raised with whatever is read differently
  version: '1',
  evaluate: ({ resource_uid }) => {
    const [, host] = URL.exec(resource_uid) ?? [];
    return { kind: 'repository', host: host?.toLowerCase() ?? null, url: host === undefined ? null : resource_uid };
  },
};

/** Code, where it stands and what builds from it: GET /secops/repositories. */
export const repositories = defineProjection({
  facet: joinSources(facetOf('repository'), scanned),
  type: 'Repository',
  field: 'repositories',
  path: '/secops/repositories',
  tag: 'secops',
  things: 'repositories, pipelines and connections',
  permission: 'secops:read',
});
