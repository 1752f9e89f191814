import { isEnumType, isListType, getNullableType, isNonNullType, isRequiredArgument, Kind, type GraphQLArgument } from 'graphql';
import { ERROR_TABLE, type ErrorCode } from '../schema/error-table.js';
import type { Engine } from '../subgraphs/_kit/engine.js';
import type { Endpoint, RestApi } from './api.js';
import { gatewayPaths, gatewaySchemas } from './openapi-gateway.js';
import { bareSchema, componentSchemas, describe, schemaReference, typeSchema, type JsonSchema } from './openapi-schemas.js';
import { FILE_FIELD } from './uploads.js';

/** A document of OpenAPI 3.1, as far as it is read here. */
export interface OpenApiDocument {
  openapi: string;
  info: JsonSchema;
  servers: JsonSchema[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, JsonSchema>>;
  components: { schemas: Record<string, JsonSchema>; [section: string]: unknown };
  [section: string]: unknown;
}

const RATE_HEADERS = {
  'X-RateLimit-Limit': { description: 'Calls that the tighter window allows.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Calls left in that window.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'End of that window, Unix seconds.', schema: { type: 'integer' } },
  'X-Request-Id': { description: 'Id of the request; an error of status 500 carries it too.', schema: { type: 'string' } },
};

const headerReferences = (...extra: string[]): JsonSchema =>
  Object.fromEntries([...Object.keys(RATE_HEADERS), ...extra].map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const ALWAYS: ErrorCode[] = ['BAD_REQUEST', 'UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED', 'INTERNAL', 'UPSTREAM_UNAVAILABLE'];
const OF_MUTATIONS: ErrorCode[] = ['CONFLICT', 'GONE', 'PRECONDITION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_ERROR'];

/** References to the error answers of `codes`, by status. */
export const errorReferences = (codes: readonly ErrorCode[]): JsonSchema =>
  Object.fromEntries(codes.map((code) => [ERROR_TABLE[code].status, { $ref: `#/components/responses/${code}` }] as const).sort(([a], [b]) => a - b));

function errorResponses(): JsonSchema {
  return Object.fromEntries(
    Object.entries(ERROR_TABLE).map(([code, { meaning }]) => [
      code,
      {
        description: meaning,
        headers: headerReferences(...(code === 'RATE_LIMITED' ? ['Retry-After'] : code === 'METHOD_NOT_ALLOWED' ? ['Allow'] : [])),
        content: { 'application/json': { schema: { allOf: [schemaReference('Error'), { properties: { error_code: { const: code } } }] } } },
      },
    ]),
  );
}

const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'The body of every error.',
  properties: {
    page: { type: 'string', description: 'Area that produced the error: the first path segment below /api/v1, or gateway.' },
    error_code: { type: 'string', enum: Object.keys(ERROR_TABLE) },
    message: { type: 'string' },
    detail: { description: 'More about it, or null: a list of {path, message} for 422, {window, limit, retry_after} for 429, {request_id} for 500.' },
    degraded_engines: { type: 'array', items: { type: 'string' }, description: 'Engines that failed to answer.' },
  },
  required: ['page', 'error_code', 'message', 'detail', 'degraded_engines'],
};

const firstSentence = (text: string): string => /^[\s\S]*?[.;:](?=\s|$)/.exec(text)?.[0].replace(/[.;:]$/, '').replace(/\s+/g, ' ') ?? text;

function parameter(argument: GraphQLArgument, where: 'path' | 'query'): JsonSchema {
  const isList = isListType(getNullableType(argument.type));
  const schema = isList && isListType(getNullableType(argument.type)) ? { ...bareSchema(argument.type) } : bareSchema(argument.type);
  const { description: _description, ...facts } = describe(schema, { name: argument.name, defaultValue: argument.defaultValue });
  return {
    name: argument.name,
    in: where,
    ...(argument.description && { description: isList ? `${argument.description} Repeat it, or separate values by commas.` : argument.description }),
    required: where === 'path' || isRequiredArgument(argument),
    ...(isList && { style: 'form', explode: true }),
    schema: withoutNullItems(facts),
  };
}

/** Values of a query string are never null. */
const withoutNullItems = (schema: JsonSchema): JsonSchema => schema;

const headerParameter = (argument: GraphQLArgument, header: string): JsonSchema => ({
  name: header === 'if-match' ? 'If-Match' : header,
  in: 'header',
  ...(argument.description && { description: argument.description }),
  required: isRequiredArgument(argument),
  schema: header === 'if-match' ? { type: 'string', examples: ['"3"'] } : bareSchema(argument.type),
});

function requestBody({ route, plan }: Endpoint): JsonSchema | null {
  if (plan.body) {
    return { required: isNonNullType(plan.body.type), ...(plan.body.description && { description: plan.body.description }), content: { 'application/json': { schema: typeSchema(plan.body.type) } } };
  }
  if (!route.upload) return null;
  const fields = [...plan.query.values()].map((argument) => [argument.name, describe(bareSchema(argument.type), argument)]);
  const file = { type: 'string', format: 'binary', description: 'The report.' };
  return {
    required: true,
    description: `The report, of any content type, or a multipart form with the report as the file \`${FILE_FIELD}\` and the query parameters as fields. Content-Encoding gzip is understood.`,
    content: {
      '*/*': { schema: { type: 'string', format: 'binary' } },
      'multipart/form-data': { schema: { type: 'object', properties: { [FILE_FIELD]: file, ...Object.fromEntries(fields) }, required: [FILE_FIELD] } },
    },
  };
}

function operation(endpoint: Endpoint, permission: string | undefined): JsonSchema {
  const { route, plan } = endpoint;
  const { definition } = route;
  const hasTag = route.kind !== 'query' || route.url.startsWith('/api/v1/views/finding/');
  const content = { 'application/json': { schema: typeSchema(definition.type) } };
  const success = { description: route.status === 204 ? 'Done.' : 'The answer.', headers: headerReferences(...(hasTag && route.status !== 204 ? ['ETag'] : [])), ...(route.status !== 204 && { content }) };
  const body = requestBody(endpoint);
  const description = definition.description ?? '';
  return {
    operationId: route.field,
    tags: [route.tag],
    summary: firstSentence(description),
    description: permission === undefined ? description : `${description}\n\nRequires: \`${permission}\`.`.trim(),
    parameters: [
      ...plan.path.map(({ argument }) => parameter(argument, 'path')),
      ...[...plan.query.values()].map((argument) => parameter(argument, 'query')),
      ...plan.headers.map(({ argument, header }) => headerParameter(argument, header)),
    ],
    ...(body && { requestBody: body }),
    responses: { [route.status]: success, ...errorReferences(route.kind === 'query' ? ALWAYS : [...ALWAYS, ...OF_MUTATIONS]), default: { $ref: '#/components/responses/INTERNAL' } },
    security: [{ access_token: [] }],
  };
}

/** `@permission` of each root field, as the engines state it. */
function permissionsOf(engines: readonly Engine[]): Map<string, string> {
  const permissions = new Map<string, string>();
  for (const { document } of engines) {
    for (const node of document.definitions) {
      if ((node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.OBJECT_TYPE_EXTENSION) || !/^(Query|Mutation)$/.test(node.name.value)) continue;
      for (const field of node.fields ?? []) {
        const value = field.directives?.find((directive) => directive.name.value === 'permission')?.arguments?.[0]?.value;
        if (value?.kind === Kind.STRING) permissions.set(field.name.value, value.value);
      }
    }
  }
  return permissions;
}

/**
 * The merged OpenAPI 3.1 document of every routed endpoint (specification, "Versioning" 3), made from the same schema and route table that serve
 * them, so that the three cannot drift. SOFA's own document lacks nullability, defaults, errors and mutation ids.
 * The same input gives the same document, byte for byte.
 */
export function createOpenApi(api: RestApi, engines: readonly Engine[]): OpenApiDocument {
  const permissions = permissionsOf(engines);
  const paths: OpenApiDocument['paths'] = {};
  for (const endpoint of api.endpoints) {
    const { route } = endpoint;
    const path = route.url.replace(/:([a-z_]+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(endpoint, permissions.get(route.field));
  }
  const all = { ...paths, ...gatewayPaths({ errorReferences, headerReferences }) };
  const tags = [...new Set(Object.values(all).flatMap((methods) => Object.values(methods).flatMap(({ tags: names }) => names as string[])))];
  return {
    openapi: '3.1.1',
    info: {
      title: 'Palisade',
      version: '1.0.0',
      summary: 'Multi-tenant cloud security posture, over REST.',
      description:
        'All business endpoints lie below /api/v1 and need the access_token cookie. Lists are pages; errors have one envelope; X-RateLimit headers are on every response.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this document.' }],
    tags: tags.sort().map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: { ...componentSchemas(api.view, api.endpoints.map(({ route }) => route.document)), ...gatewaySchemas, Error: ERROR_SCHEMA },
      responses: errorResponses(),
      headers: {
        ...RATE_HEADERS,
        'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
        Allow: { description: 'The methods that the path has.', schema: { type: 'string' } },
        ETag: { description: 'Version of the thing, for If-Match; only where it has one.', schema: { type: 'string' } },
      },
      securitySchemes: { access_token: { type: 'apiKey', in: 'cookie', name: 'access_token', description: 'The session cookie that POST /api/auth/login sets.' } },
    },
  };
}

export { isEnumType };
