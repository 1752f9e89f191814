import type { FieldValue, ReadingSource } from '../../kit/projections/facet.js';

/** The types that the importer of descriptions gives to an API and to its operations. */
export const API = 'api_description';
export const OPERATION = 'api_endpoint';

const textOf = (value: unknown): FieldValue => (typeof value === 'string' && value !== '' ? value : null);
const listOf = (value: unknown): FieldValue => (Array.isArray(value) && value.length > 0 ? value.join(', ') : null);

/** APIs and operations that a description, such as OpenAPI, tells of. */
export const described: ReadingSource = {
  types: new Set([API, OPERATION]),
  samples: [
    {
      provider: 'k8s',
      resource_type: API,
      resource_uid: 'https://api.example.com/v1',
      configuration: { title: 'Shop', host: 'api.example.com', path: '/v1', schemes: ['bearer token'] },
    },
    {
      provider: 'k8s',
      resource_type: OPERATION,
      resource_uid: 'GET https://api.example.com/v1/items',
      configuration: { host: 'api.example.com', method: 'GET', path: '/v1/items', authentication: ['bearer token'], anonymous: false },
    },
  ],
  // to be raised with whatever is read differently
  version: '1',
  evaluate: ({ resource_type, configuration }) => ({
    kind: resource_type === API ? 'api' : 'operation',
    protocol: 'http',
    host: textOf(configuration?.['host']),
    method: textOf(configuration?.['method']),
    path: textOf(configuration?.['path']),
    authentication: listOf(configuration?.[resource_type === API ? 'schemes' : 'authentication']),
    anonymous: typeof configuration?.['anonymous'] === 'boolean' ? configuration['anonymous'] : null,
    described: configuration !== null,
  }),
};
