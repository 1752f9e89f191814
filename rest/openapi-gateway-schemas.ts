import type { JsonSchema } from './openapi-schemas.js';
import { SIGN_IN_SCHEMAS } from './sign-in-bodies.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const record = (description: string, properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const COMPONENT_STATUS = record('Whether it answers.', { status: { enum: ['ok', 'down'], description: 'ok or down.' } });
const ENGINE_STATUSES: JsonSchema = { type: 'object', description: 'The engines by name.', additionalProperties: COMPONENT_STATUS };
const orNull = (type: string, description: string): JsonSchema => ({ type: [type, 'null'], description });
const FEEDS: JsonSchema = {
  type: 'object',
  description:
    'The vulnerability feeds by kind (kev, epss, osv); those that nobody has loaded are left out, and all of them while the store is away.',
  additionalProperties: record('How a feed is.', {
    loaded_at: orNull('string', 'When the last good copy was loaded; null while there is none.'),
    age_seconds: orNull('integer', 'How long ago that was.'),
    version: orNull('string', 'The version or day that the copy tells of itself; null where it tells none.'),
    records: { type: 'integer', description: 'What the copy holds.' },
    error: orNull('string', 'Why the last update failed; null where it did not.'),
  }),
};
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
  ...SIGN_IN_SCHEMAS,
  GraphRequest: record(
    'One GraphQL operation.',
    {
      query: text('The document.'),
      variables: { type: ['object', 'null'], description: 'Variables by name.' },
      operationName: { type: ['string', 'null'], description: 'Which operation of the document to run.' },
      extensions: {
        type: ['object', 'null'],
        description:
          'persistedQuery: {version: 1, sha256Hash} names a document by its hash; with it, query may be left out. plan: true asks for the plan of the operation.',
      },
    },
    ['query', 'variables', 'operationName', 'extensions'],
  ),
  GraphResult: record(
    'The result of an operation.',
    {
      data: { type: ['object', 'null'], description: 'What was asked for, null where it failed.' },
      errors: GRAPH_ERRORS,
      extensions: {
        type: 'object',
        description: 'plan, where it was asked for: which engines were asked what, in which order, and the milliseconds of each call.',
      },
    },
    ['data', 'errors', 'extensions'],
  ),
  GraphErrors: record('Why an operation was refused before any of it ran.', { errors: GRAPH_ERRORS }),
  Liveness: record('The process answers.', { status: { const: 'ok', description: 'Always ok.' } }),
  Readiness: record(
    'Whether every call can be served.',
    {
      status: {
        enum: ['ok', 'unavailable'],
        description: 'ok, or unavailable while the store or an engine is away, or the demo is not in.',
      },
      reason: text('Why it is unavailable where store and engines answer.'),
      store: COMPONENT_STATUS,
      engines: ENGINE_STATUSES,
    },
    ['reason'],
  ),
  Health: record(
    'How the gateway and what it stands on are.',
    {
      status: { enum: ['ok', 'degraded'], description: 'degraded while the store or an engine is away.' },
      version: text('Version of the product.'),
      uptime_seconds: { type: 'integer', description: 'Seconds since the process began.' },
      store: COMPONENT_STATUS,
      engines: ENGINE_STATUSES,
      workers: record('The processes that take jobs; absent while the store is away.', {
        status: { enum: ['ok', 'none'], description: 'none while nobody takes jobs: runs then stay QUEUED.' },
        seen: { type: 'integer', description: 'How many gave a sign of life lately.' },
      }),
      feeds: FEEDS,
      demo: record('How far the demo is; absent where there is none.', {
        status: { enum: ['loading', 'loaded', 'failed'], description: 'loading while its reports come in.' },
        reports: { type: 'integer', description: 'Reports of the demo.' },
        loaded: { type: 'integer', description: 'How many of them are in the store.' },
      }),
    },
    ['demo', 'workers', 'feeds'],
  ),
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
