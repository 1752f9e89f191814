import { randomUUID } from 'node:crypto';
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Auth } from './sign-in/index.js';
import type { FieldUsage } from './gateway/field-usage.js';
import type { Graph } from './gateway/graph/types.js';
import { registerErrorHandlers } from './http/envelope.js';
import { collectEndpoints, registerMethodNotAllowed } from './gateway/http/method-not-allowed.js';
import { registerMetrics } from './gateway/http/metrics.js';
import { authenticateCounted, refuseUnparsable, refuseUnroutable, registerPipeline } from './gateway/http/pipeline.js';
import type { RateLimiter } from './http/rate-limit.js';
import { createRestApi, registerRestApi } from './rest/api.js';
import type { EventStreamTimes } from './rest/event-streams.js';
import { registerConsole } from './rest/console.js';
import { registerExplorer } from './rest/explorer.js';
import { explorerGraphOf } from './rest/explorer-graph.js';
import { MAX_JSON_BYTES, parseJsonBody } from './rest/json-body.js';
import { readExamples } from './rest/openapi-examples.js';
import { createOpenApi } from './rest/openapi.js';
import { registerPageAssets } from './rest/page-assets.js';
import { registerReference } from './rest/reference.js';
import type { Config } from './kit/base/config.js';
import type { Engine } from './kit/engine/engine.js';
import type { Logger } from './kit/base/logger.js';
import type { ObjectStore } from './kit/store/object-store.js';

/** What an app is made of. Nothing of it is started or stopped here. */
export interface AppDependencies {
  readonly config: Pick<Config, 'TRUSTED_PROXIES' | 'MAX_IMPORT_MB' | 'METRICS_TOKEN' | 'ENGINE_TIMEOUT_MS'>;
  readonly engines: readonly Engine[];
  readonly graph: Graph;
  readonly auth: Pick<Auth, 'authenticate' | 'registerRoutes'>;
  readonly rateLimiter: RateLimiter;
  readonly objects: ObjectStore;
  readonly logger: Logger;
  /** Version of the product, for its documents. */
  readonly version: string;
  /** Of streams of events; the usual ones when absent. */
  readonly eventTimes?: EventStreamTimes;
  /** Metrics of the process beside those of requests. */
  readonly registry?: Registry;
  /** How often tenants have asked for fields, for the explorer. */
  readonly fieldUsage?: Pick<FieldUsage, 'of'>;
  /** Adds what is no stored operation: /graphql, /gateway/health, downloads. Below /api/v1, `request.auth` is set. */
  readonly extend?: (app: FastifyInstance) => void | Promise<void>;
}

/** Longest path segment, encoded: 2,000 characters of three bytes each. */
const MAX_SEGMENT = 6_000;
const MIB = 1_048_576;
/** Milliseconds: for the head of a request, for a JSON body, for a whole upload, and for a silent connection. */
const TIMEOUTS = { head: 15_000, body: 30_000, request: 3_600_000, idle: 120_000 };

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** JSON is the only body, besides those of uploads and of the sign-in routes, which bring their own parsers. A body that trickles in is cut off. */
function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: MAX_JSON_BYTES }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(String(body)));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasBody(request) && !request.routeOptions.config.unboundedBody) {
      const timer = setTimeout(() => request.raw.destroy(), TIMEOUTS.body).unref();
      payload.once('end', () => clearTimeout(timer));
      request.raw.once('close', () => clearTimeout(timer));
    }
    done(null, payload);
  });
}

/**
 * Builds the HTTP server: the pipeline, the REST API of all engines, the sign-in routes, the REST reference, the explorer, the console and metrics. It does not listen: call
 * `listen` on what comes back, and `close` to end it, which waits for calls in flight.
 * @throws an Error that lists what is wrong with the route table
 */
export async function createApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { config, engines, graph, auth, rateLimiter, objects, logger, version, registry, fieldUsage, extend, eventTimes } = dependencies;
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent) => parent,
    genReqId: () => randomUUID(),
    trustProxy: config.TRUSTED_PROXIES?.length ? config.TRUSTED_PROXIES : false,
    bodyLimit: MAX_JSON_BYTES,
    routerOptions: { maxParamLength: MAX_SEGMENT },
    requestTimeout: TIMEOUTS.request,
    connectionTimeout: Math.max(TIMEOUTS.idle, config.ENGINE_TIMEOUT_MS * 2),
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void refuseUnroutable({ auth, rateLimiter }, error, request, reply),
    clientErrorHandler: (error, socket) => void refuseUnparsable(rateLimiter, error, socket),
  });
  app.server.headersTimeout = TIMEOUTS.head;

  const endpoints = collectEndpoints(app);
  registerErrorHandlers(app);
  registerBodyParser(app);
  registerPipeline(app, { auth, rateLimiter });
  registerMetrics(app, config.METRICS_TOKEN, registry);

  const rest = await createRestApi(graph.apiSchema, engines);
  registerRestApi(app, rest, {
    graph,
    objects,
    logger,
    maxImportBytes: config.MAX_IMPORT_MB * MIB,
    authenticate: (request) => auth.authenticate(request),
    eventTimes,
  });

  const assets = registerPageAssets(app);
  registerReference(app, assets, () => createOpenApi(rest, engines, { version, examples: readExamples() }));
  registerExplorer(app, {
    assets,
    make: () => explorerGraphOf(graph, rest, engines),
    authenticate: (request, reply) => authenticateCounted({ auth, rateLimiter }, request, reply),
    usageOf: fieldUsage && ((tenantId) => fieldUsage.of(tenantId)),
  });
  registerConsole(app, assets);
  auth.registerRoutes(app);
  await extend?.(app);
  await app.after();
  registerMethodNotAllowed(app, endpoints);
  return app;
}
