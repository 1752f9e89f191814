import { ERROR_TABLE, type ErrorCode } from '../schema/error-table.js';
import { hookPath } from '../gateway/hooks.js';
import type { Engine } from '../kit/engine/engine.js';
import type { EngineHook } from '../kit/engine/hook.js';
import type { GatewayOperation } from './gateway-operation.js';
import { ACCOUNT_OPERATIONS } from './openapi-accounts.js';
import { BROWSER_OPERATIONS } from './openapi-browser-sign-in.js';
import { errorReferences, extraHeaders, headerReferences } from './openapi-responses.js';
import { SECOND_STEP_OPERATIONS, SECOND_STEP_SCHEMAS } from './openapi-second-step.js';
import { schemaReference, type JsonSchema } from './openapi-schemas.js';
import { SIGN_IN_BODY_SCHEMAS } from './sign-in-bodies.js';

type Paths = Record<string, Record<string, JsonSchema>>;

const text = (description: string): JsonSchema => ({ type: 'string', description });
const record = (description: string, properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const COMPONENT_STATUS = record('Whether it answers.', { status: { enum: ['ok', 'down'], description: 'ok or down.' } });
const ENGINE_STATUSES: JsonSchema = { type: 'object', description: 'The engines by name.', additionalProperties: COMPONENT_STATUS };
const GRAPH_ERRORS: JsonSchema = {
  type: 'array',
  description: 'What went wrong, where anything did.',
  items: record(
    'An error (GraphQL specification, 7.1.2).',
    {
      message: text('What went wrong.'),
      path: { type: 'array', items: { type: ['string', 'integer'] }, description: 'Where in the data.' },
      extensions: {
        type: 'object',
        description: 'code, as error_code of the envelope; detail, engine and request_id where there is more to tell.',
        properties: { code: text('Code of the error.') },
      },
    },
    ['path', 'extensions'],
  ),
};

/** Schemas of what the gateway itself answers and takes: sign-in, operations, the graph. */
export const GATEWAY_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...SIGN_IN_BODY_SCHEMAS,
  ...SECOND_STEP_SCHEMAS,
  LoginResult: record(
    'A complete sign-in.',
    {
      status: { const: 'ok', description: 'The cookie is set.' },
      user: record('Who signed in.', { user_id: text('Id.'), email: text('E-mail address.'), name: text('Name.') }),
      tenant: record('The tenant that the session acts in.', {
        tenant_id: text('Id.'),
        name: text('Name.'),
        organization_id: text('Organization that owns it.'),
      }),
      role: text('Role in that tenant.'),
      recovery_codes: {
        type: 'array',
        items: { type: 'string' },
        description: 'Recovery codes, shown once to who has just set up a second factor.',
      },
    },
    ['recovery_codes'],
  ),
  GraphRequest: record(
    'One GraphQL operation.',
    {
      query: text('The document.'),
      variables: { type: ['object', 'null'], description: 'Variables by name.' },
      operationName: { type: ['string', 'null'], description: 'Which operation of the document to run.' },
      extensions: {
        type: ['object', 'null'],
        description: 'persistedQuery: {version: 1, sha256Hash} names a document by its hash; with it, query may be left out.',
      },
    },
    ['query', 'variables', 'operationName', 'extensions'],
  ),
  GraphResult: record(
    'The result of an operation.',
    { data: { type: ['object', 'null'], description: 'What was asked for, null where it failed.' }, errors: GRAPH_ERRORS },
    ['data', 'errors'],
  ),
  GraphErrors: record('Why an operation was refused before any of it ran.', { errors: GRAPH_ERRORS }),
  Liveness: record('The process answers.', { status: { const: 'ok', description: 'Always ok.' } }),
  Readiness: record('Whether every call can be served.', {
    status: { enum: ['ok', 'unavailable'], description: 'ok, or unavailable while the store or an engine is away.' },
    store: COMPONENT_STATUS,
    engines: ENGINE_STATUSES,
  }),
  Health: record('How the gateway and what it stands on are.', {
    status: { enum: ['ok', 'degraded'], description: 'degraded while the store or an engine is away.' },
    version: text('Version of the product.'),
    uptime_seconds: { type: 'integer', description: 'Seconds since the process began.' },
    store: COMPONENT_STATUS,
    engines: ENGINE_STATUSES,
  }),
  Services: record('The engines that the gateway knows.', {
    services: {
      type: 'array',
      description: 'One for each engine.',
      items: record('An engine.', {
        name: text('Its name.'),
        label: text('Its name for people.'),
        description: text('What it is for.'),
        prefixes: { type: 'array', items: { type: 'string' }, description: 'First path segments below /api/v1 that are its own.' },
        view_segment: { type: ['string', 'null'], description: 'How addresses of its findings name it; null where it has none.' },
        permission: { type: ['string', 'null'], description: 'What reading its findings needs.' },
        transport: { enum: ['local', 'http'], description: 'Whether it runs in the process of the gateway.' },
        status: { enum: ['ok', 'down'], description: 'Whether it answers.' },
      }),
    },
  }),
};

const SIGN_IN: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_ERROR',
  'RATE_LIMITED',
  'INTERNAL',
  'UPSTREAM_UNAVAILABLE',
];
const json = (schema: JsonSchema): GatewayOperation['answer'] => ['application/json', schema];
const page: GatewayOperation['answer'] = ['text/html', { type: 'string' }];

const GRAPH_REFUSAL: GatewayOperation['errorAnswer'] = [
  ['application/json', 'application/graphql-response+json'],
  schemaReference('GraphErrors'),
];

/** The endpoints outside /api/v1 (specification, "Versioning" 2). */
const OPERATIONS: readonly GatewayOperation[] = [
  ...SECOND_STEP_OPERATIONS,
  {
    method: 'post',
    path: '/api/auth/login',
    id: 'login',
    tag: 'auth',
    summary: 'Sign in with e-mail address and password; sets the access_token cookie, or asks for the second step',
    isPublic: true,
    body: 'LoginRequest',
    answer: json({ oneOf: [schemaReference('LoginResult'), schemaReference('SecondStepRequired')] }),
    errors: SIGN_IN,
  },
  {
    method: 'post',
    path: '/api/auth/refresh',
    id: 'refresh',
    tag: 'auth',
    summary: 'Rotate the session; re-reads role and membership',
    answer: json(schemaReference('LoginResult')),
    errors: SIGN_IN,
  },
  {
    method: 'post',
    path: '/api/auth/logout',
    id: 'logout',
    tag: 'auth',
    summary: 'End the session and clear the cookie',
    status: 204,
    errors: SIGN_IN,
  },
  {
    method: 'post',
    path: '/api/auth/switch-tenant',
    id: 'switch_tenant',
    tag: 'auth',
    summary: 'Act in another tenant of the user',
    body: 'SwitchTenantRequest',
    answer: json(schemaReference('LoginResult')),
    errors: [...SIGN_IN, 'NOT_FOUND'],
  },
  ...ACCOUNT_OPERATIONS,
  ...BROWSER_OPERATIONS,
  {
    method: 'get',
    path: '/gateway/health',
    id: 'gateway_health',
    tag: 'gateway',
    summary: 'Gateway liveness and upstream engine health',
    isPublic: true,
    answer: json(schemaReference('Health')),
    errors: ['INTERNAL'],
  },
  {
    method: 'get',
    path: '/gateway/health/live',
    id: 'gateway_liveness',
    tag: 'gateway',
    summary: 'Whether the process answers, whatever it stands on',
    isPublic: true,
    answer: json(schemaReference('Liveness')),
    errors: ['INTERNAL'],
  },
  {
    method: 'get',
    path: '/gateway/health/ready',
    id: 'gateway_readiness',
    tag: 'gateway',
    summary: 'Whether every call can be served; 503 while the store or an engine is away',
    isPublic: true,
    answer: json(schemaReference('Readiness')),
    errors: ['INTERNAL', 'UPSTREAM_UNAVAILABLE'],
    errorAnswer: [['application/json'], schemaReference('Readiness')],
  },
  {
    method: 'get',
    path: '/gateway/services',
    id: 'gateway_services',
    tag: 'gateway',
    summary: 'Registered engine services and their status',
    isPublic: true,
    answer: json(schemaReference('Services')),
    errors: ['INTERNAL'],
  },
  {
    method: 'get',
    path: '/gateway/openapi.json',
    id: 'openapi',
    tag: 'gateway',
    summary: 'This document',
    isPublic: true,
    answer: json({ type: 'object', description: 'A document of OpenAPI 3.1.' }),
    errors: ['INTERNAL'],
  },
  {
    method: 'get',
    path: '/gateway/docs',
    id: 'reference',
    tag: 'gateway',
    summary: 'REST reference, rendered from this document',
    isPublic: true,
    answer: page,
    errors: ['INTERNAL'],
  },
  {
    method: 'post',
    path: '/graphql',
    id: 'graphql',
    tag: 'gateway',
    summary: 'Run an operation on the federated graph',
    body: 'GraphRequest',
    answer: json(schemaReference('GraphResult')),
    errors: [...SIGN_IN, 'NOT_FOUND'],
    errorAnswer: GRAPH_REFUSAL,
  },
  {
    method: 'get',
    path: '/graphql',
    id: 'graphql_by_get',
    tag: 'gateway',
    summary: 'Run a query on the federated graph; needs "Accept: application/graphql-response+json" or a header that no form can send',
    optionalQuery: {
      query: 'The document.',
      variables: 'Variables by name, as JSON.',
      operationName: 'Which operation of the document to run.',
      extensions: 'As in the body of a POST, as JSON.',
    },
    answer: json(schemaReference('GraphResult')),
    errors: [
      'BAD_REQUEST',
      'UNAUTHENTICATED',
      'FORBIDDEN',
      'NOT_FOUND',
      'METHOD_NOT_ALLOWED',
      'RATE_LIMITED',
      'INTERNAL',
      'UPSTREAM_UNAVAILABLE',
    ],
    errorAnswer: GRAPH_REFUSAL,
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'metrics',
    tag: 'gateway',
    summary: 'Prometheus metrics; for loopback and bearers of the metrics token',
    isPublic: true,
    answer: ['text/plain', { type: 'string' }],
    errors: ['FORBIDDEN', 'INTERNAL'],
  },
];

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  tenant_id: 'Id of the tenant.',
  id: 'Id of what the hook belongs to, an integration for example.',
};

/** Responses of errors that are not answered with the envelope. */
const answersOf = (codes: readonly ErrorCode[], [types, schema]: NonNullable<GatewayOperation['errorAnswer']>): JsonSchema =>
  Object.fromEntries(
    codes.map((code) => [
      String(ERROR_TABLE[code].status),
      {
        description: ERROR_TABLE[code].meaning,
        headers: headerReferences(...extraHeaders(code)),
        content: Object.fromEntries(types.map((type) => [type, { schema }])),
      },
    ]),
  );

/** Where a hook that an engine declares is posted to. */
const hookOperation = ({ kind, description }: EngineHook): GatewayOperation => ({
  method: 'post',
  path: hookPath(kind, '{id}'),
  id: `${kind.replaceAll('-', '_')}_hook`,
  tag: 'gateway',
  summary: description.replace(/\.$/, ''),
  isPublic: true,
  status: 204,
  errors: ['BAD_REQUEST', 'UNAUTHENTICATED', 'PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'INTERNAL', 'UPSTREAM_UNAVAILABLE'],
});

/** The paths of the gateway's own endpoints and of the hooks that `engines` declare, for the merged document. */
export function gatewayPaths(engines: readonly Engine[]): Paths {
  const paths: Paths = {};
  for (const {
    method,
    path,
    id,
    tag,
    summary,
    isPublic,
    query = {},
    optionalQuery = {},
    body,
    bodyType = 'application/json',
    status = 200,
    answer,
    leadsOn,
    errors,
    errorPages = [],
    errorAnswer,
  } of [...OPERATIONS, ...engines.flatMap(({ hooks }) => hooks).map(hookOperation)]) {
    const parameter = (place: 'path' | 'query', name: string, description: string, required = true) => ({
      name,
      in: place,
      required,
      description,
      schema: { type: 'string' },
    });
    const success = {
      description: status === 204 ? 'Done.' : 'The answer.',
      headers: headerReferences(),
      ...(answer && { content: { [answer[0]]: { schema: answer[1] } } }),
    };
    (paths[path] ??= {})[method] = {
      operationId: id,
      tags: [tag],
      summary,
      description: `${summary}.`,
      parameters: [
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter('path', name!, PATH_PARAMETERS[name!] ?? 'Id.')),
        ...Object.entries(query).map(([name, description]) => parameter('query', name, description)),
        ...Object.entries(optionalQuery).map(([name, description]) => parameter('query', name, description, false)),
      ],
      ...(body && { requestBody: { required: true, content: { [bodyType]: { schema: schemaReference(body) } } } }),
      responses: {
        ...((answer || !leadsOn) && { [status]: success }),
        ...(leadsOn && { [leadsOn]: { description: 'The browser is led on.', headers: headerReferences('Location') } }),
        ...errorReferences(errors),
        ...answersOf(errorPages, [['text/html'], { type: 'string' }]),
        ...(errorAnswer && answersOf(path.startsWith('/gateway') ? ['UPSTREAM_UNAVAILABLE'] : errors, errorAnswer)),
      },
      // sign-in is about sessions; the graph takes an API key as well
      security: isPublic ? [] : [{ access_token: [] }, ...(tag === 'gateway' ? [{ api_key: [] }] : [])],
    };
  }
  return paths;
}
