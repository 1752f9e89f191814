import { getNullableType, isListType, isNonNullType, isRequiredArgument, Kind, type GraphQLArgument } from 'graphql';
import type { ErrorCode } from '../schema/error-table.js';
import type { Engine } from '../kit/engine/engine.js';
import type { Endpoint, RestApi } from './api.js';
import { gatewayPaths } from './openapi-gateway.js';
import { GATEWAY_SCHEMAS } from './openapi-gateway-schemas.js';
import { ERROR_SCHEMA, errorReferences, errorResponses, HEADER_COMPONENTS, headerReferences } from './openapi-responses.js';
import { bareSchema, componentSchemas, describe, typeSchema, type JsonSchema } from './openapi-schemas.js';
import { addExamples, type Examples } from './openapi-examples.js';
import { isAbsence, LAST_EVENT_HEADER } from './routes.js';
import { TAG_DESCRIPTIONS } from './openapi-tags.js';
import { FILE_FIELD } from './uploads.js';

/** A document of OpenAPI 3.1, as far as it is read here. */
export interface OpenApiDocument {
  openapi: string;
  info: JsonSchema & { title: string };
  servers: JsonSchema[];
  tags: { name: string; description: string }[];
  /** Path -> method -> operation. */
  paths: Record<string, Record<string, JsonSchema>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, JsonSchema>;
    headers: Record<string, JsonSchema>;
    parameters: Record<string, JsonSchema>;
    securitySchemes: Record<string, JsonSchema>;
  };
}

const OF_QUERIES: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'INTERNAL',
  'UPSTREAM_UNAVAILABLE',
];
const OF_MUTATIONS: readonly ErrorCode[] = [
  ...OF_QUERIES,
  'NOT_FOUND',
  'CONFLICT',
  'GONE',
  'PRECONDITION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_ERROR',
];

const PROOF =
  'Takes a proof of who the caller is of the last 15 minutes; a sign-in is one. Otherwise 401, whose `detail.reauthenticate` says how to give another: `POST /api/auth/reauthenticate`, or the page of the identity provider.';

const EVENT_STREAM =
  'Server-sent events: the `id` of each is its position, its `event` the type, and its `data` the event as JSON, in the shape of the items of the graph.';

/** What the graph says of a field, in the words of REST: what is null there when there is none is a 404 here. */
function describeRoute(route: Endpoint['route']): string {
  const description = route.definition.description ?? '';
  return isAbsence(route) ? description.replace(/\bnull (?=when|for)/g, '404 ') : description;
}

/** What a description says first, as a title. */
const firstSentence = (description: string): string =>
  (/^.*?(?=[.;]\s|[.;]?$)/s.exec(description.replace(/\s+/g, ' ').trim())?.[0] ?? '').trim();

function parameter(argument: GraphQLArgument, where: 'path' | 'query'): JsonSchema {
  const type = getNullableType(argument.type);
  const isList = isListType(type);
  const { description, ...schema } = describe(bareSchema(type), argument);
  return {
    name: argument.name,
    in: where,
    ...(typeof description === 'string' && {
      description: isList ? `${description} Repeat it, or separate values by commas.` : description,
    }),
    required: where === 'path' || isRequiredArgument(argument),
    ...(isList && { style: 'form', explode: true }),
    schema,
  };
}

const HEADER_NAMES: Readonly<Record<string, string>> = { 'if-match': 'If-Match', [LAST_EVENT_HEADER]: 'Last-Event-ID' };

const headerParameter = (argument: GraphQLArgument, header: string): JsonSchema => ({
  name: HEADER_NAMES[header] ?? header,
  in: 'header',
  ...(argument.description && { description: argument.description }),
  required: isRequiredArgument(argument),
  schema: header === 'if-match' ? { type: 'string', examples: ['"3"'] } : bareSchema(argument.type),
});

function requestBody({ route, plan }: Endpoint): JsonSchema | null {
  if (plan.body) {
    const { type, description } = plan.body;
    return {
      required: isNonNullType(type),
      ...(description && { description }),
      content: { 'application/json': { schema: typeSchema(type) } },
    };
  }
  if (!route.upload) return null;
  const fields = [...plan.query.values()].map((argument) => [argument.name, describe(bareSchema(argument.type), argument)] as const);
  const properties = { [FILE_FIELD]: { type: 'string', format: 'binary', description: 'The file.' }, ...Object.fromEntries(fields) };
  return {
    required: true,
    description: `The file itself, of any content type, or a multipart form with the file in \`${FILE_FIELD}\` and the query parameters as fields. Content-Encoding gzip is understood.`,
    content: {
      '*/*': { schema: { type: 'string', format: 'binary' } },
      'multipart/form-data': { schema: { type: 'object', properties, required: [FILE_FIELD] } },
    },
  };
}

function operation(endpoint: Endpoint, permission: string | undefined): JsonSchema {
  const { route, plan } = endpoint;
  const body = requestBody(endpoint);
  const takesPerson = permission?.split('+').includes('person') ?? false;
  const description = [
    describeRoute(route),
    permission === undefined ? '' : `Requires: \`${permission}\`.`,
    takesPerson && route.kind === 'mutation' ? PROOF : '',
  ]
    .filter(Boolean)
    .join('\n\n')
    .trim();
  return {
    operationId: route.field,
    tags: [route.tag],
    summary: firstSentence(describeRoute(route) || route.field),
    description,
    parameters: [
      ...plan.path.map(({ argument }) => parameter(argument, 'path')),
      ...[...plan.query.values()].map((argument) => parameter(argument, 'query')),
      ...plan.headers.map(({ argument, header }) => headerParameter(argument, header)),
    ],
    ...(body && { requestBody: body }),
    responses: { [route.status]: successOf(endpoint), ...errorReferences(errorsOf(endpoint)) },
    security: [{ access_token: [] }, ...(takesPerson ? [] : [{ api_key: [] }])],
  };
}

function errorsOf({ route }: Endpoint): readonly ErrorCode[] {
  if (route.kind === 'mutation') return OF_MUTATIONS;
  return isAbsence(route) ? [...OF_QUERIES, 'NOT_FOUND'] : OF_QUERIES;
}

/** What an endpoint answers when all went well. */
function successOf(endpoint: Endpoint): JsonSchema {
  const { route } = endpoint;
  if (route.status === 204) return { description: 'Done.', headers: headerReferences() };
  if (route.file)
    return {
      description: 'The file.',
      headers: headerReferences('Content-Disposition', 'Repr-Digest'),
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    };
  return { description: 'The answer.', headers: headerReferences('ETag'), content: contentOf(endpoint) };
}

/** The body of an answer that is no file: JSON, a document of one of the route's media types, or a stream of events. */
function contentOf(endpoint: Endpoint): JsonSchema {
  const { events, mediaTypes } = endpoint.route;
  // of no type: some readers of the document hold a schema against the whole body, others against each event
  if (events) return { 'text/event-stream': { schema: { description: EVENT_STREAM } } };
  if (mediaTypes) return Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'object', description: 'The document.' } }]));
  return { 'application/json': { schema: answerSchema(endpoint) } };
}

const answerSchema = ({ route }: Endpoint): JsonSchema =>
  isAbsence(route) ? bareSchema(route.definition.type) : typeSchema(route.definition.type);

/** `@permission` of each root field, as the engines state it. */
function permissionsOf(engines: readonly Engine[]): Map<string, string> {
  const permissions = new Map<string, string>();
  for (const { document } of engines) {
    for (const node of document.definitions) {
      if (
        (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.OBJECT_TYPE_EXTENSION) ||
        !/^(Query|Mutation)$/.test(node.name.value)
      )
        continue;
      for (const field of node.fields ?? []) {
        const value = field.directives?.find((directive) => directive.name.value === 'permission')?.arguments?.[0]?.value;
        if (value?.kind === Kind.STRING) permissions.set(field.name.value, value.value);
      }
    }
  }
  return permissions;
}

/**
 * Moves parameters that several operations share into the document's components: of each name the one that most of them have. A variant of
 * the same name stays where it is.
 */
function shareParameters(paths: OpenApiDocument['paths']): Record<string, JsonSchema> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as { parameters: JsonSchema[] }[];
  const uses = new Map<string, number>();
  for (const one of operations.flatMap(({ parameters }) => parameters))
    uses.set(JSON.stringify(one), (uses.get(JSON.stringify(one)) ?? 0) + 1);
  const shared = new Map<string, string>();
  for (const [text, count] of uses) {
    const { name } = JSON.parse(text) as { name: string };
    if (count > 1 && count > (uses.get(shared.get(name) ?? '') ?? 0)) shared.set(name, text);
  }
  for (const operation of operations)
    operation.parameters = operation.parameters.map((one) =>
      shared.get(one.name as string) === JSON.stringify(one) ? { $ref: `#/components/parameters/${String(one.name)}` } : one,
    );
  return Object.fromEntries([...shared].map(([name, text]) => [name, JSON.parse(text) as JsonSchema]));
}

/** What the endpoints of a tag are about: as the table says, else as the engine that has them says of itself. */
function describeTag(tag: string, engines: readonly Engine[]): string {
  const engine = engines.find(({ routes }) => routes.some((route) => route.tag === tag));
  return TAG_DESCRIPTIONS[tag] ?? engine?.description ?? tag;
}

const sorted = <T>(entries: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));

/** What of the document neither the schema nor the route table says. */
export interface DocumentFacts {
  /** Of the product. */
  readonly version: string;
  readonly examples: Examples;
}

/**
 * The merged OpenAPI 3.1 document of every routed endpoint (specification, "Versioning" 3), made from the same schema and route table that
 * serve them, so that the three cannot drift. SOFA's own document lacks nullability, defaults, errors and mutation ids.
 * The same input gives the same document, byte for byte.
 */
export function createOpenApi(api: RestApi, engines: readonly Engine[], { version, examples }: DocumentFacts): OpenApiDocument {
  const permissions = permissionsOf(engines);
  const paths: OpenApiDocument['paths'] = gatewayPaths(engines);
  for (const endpoint of api.endpoints) {
    const { route } = endpoint;
    const path = route.url.replace(/:([a-z_]+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(endpoint, permissions.get(route.field));
  }
  addExamples(paths, examples);
  const parameters = shareParameters(paths);
  const tags = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags: names }) => names as string[])));
  const documents = api.endpoints.map(({ route }) => route.document);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Palisade',
      version,
      summary: 'Multi-tenant cloud security posture over REST.',
      description:
        'All business endpoints lie below /api/v1 and need the access_token cookie or an API key. Lists are pages, errors have one envelope, and the X-RateLimit headers are on every response.',
      contact: { name: 'Palisade' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this document.' }],
    tags: [...tags].sort().map((name) => ({ name, description: describeTag(name, engines) })),
    paths: sorted(paths),
    components: {
      schemas: sorted({ ...componentSchemas(api.view, documents), ...GATEWAY_SCHEMAS, Error: ERROR_SCHEMA }),
      responses: errorResponses(),
      parameters: sorted(parameters),
      headers: { ...HEADER_COMPONENTS },
      securitySchemes: {
        access_token: {
          type: 'apiKey',
          in: 'cookie',
          name: 'access_token',
          description: 'The session cookie that POST /api/auth/login sets.',
        },
        api_key: { type: 'http', scheme: 'bearer', description: 'An API key, as POST /api/v1/api-keys shows it once.' },
      },
    },
  };
}
