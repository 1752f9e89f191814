import { ERROR_TABLE, type ErrorCode } from '../schema/error-table.js';
import { hookPath } from '../gateway/hooks.js';
import type { Engine } from '../kit/engine/engine.js';
import type { EngineHook } from '../kit/engine/hook.js';
import type { GatewayOperation } from './gateway-operation.js';
import { AGENT_OPERATIONS } from './openapi-agents.js';
import { GATEWAY_OPERATIONS } from './openapi-gateway-operations.js';
import { errorReferences, extraHeaders, headerReferences } from './openapi-responses.js';
import { schemaReference, type JsonSchema } from './openapi-schemas.js';

type Paths = Record<string, Record<string, JsonSchema>>;

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

/** What answers without a body say. */
const SUCCESS: Readonly<Record<number, string>> = { 202: 'Taken.', 204: 'Done.' };

/** Where a hook that an engine declares is posted to. */
const hookOperation = ({ kind, description }: EngineHook): GatewayOperation => ({
  method: 'post',
  path: hookPath(kind, '{id}'),
  id: `${kind.replaceAll('-', '_')}_hook`,
  tag: 'gateway',
  summary: description.replace(/\.$/, ''),
  isPublic: true,
  status: 202,
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
    headers = {},
    optionalHeaders = {},
    body,
    bodyType = 'application/json',
    status = 200,
    answer,
    leadsOn,
    errors,
    errorPages = [],
    errorAnswer,
  } of [
    ...GATEWAY_OPERATIONS,
    ...engines.flatMap(({ hooks }) => hooks).map(hookOperation),
    ...(engines.some(({ agentGates }) => agentGates.length > 0) ? AGENT_OPERATIONS : []),
  ]) {
    const parameter = (place: 'path' | 'query' | 'header', name: string, description: string, required = true) => ({
      name,
      in: place,
      required,
      description,
      schema: { type: 'string' },
    });
    const success = {
      description: SUCCESS[answer ? 200 : status] ?? 'The answer.',
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
        ...Object.entries(headers).map(([name, description]) => parameter('header', name, description)),
        ...Object.entries(optionalHeaders).map(([name, description]) => parameter('header', name, description, false)),
      ],
      ...(body && {
        requestBody: { required: true, content: { [bodyType]: { schema: typeof body === 'string' ? schemaReference(body) : body } } },
      }),
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
