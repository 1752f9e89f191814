import type { FastifyInstance } from 'fastify';
import { createApp } from '../app.js';
import { createAuth } from '../sign-in/index.js';
import { counting, FieldUsage } from '../gateway/field-usage.js';
import { createGraph } from '../gateway/graph/graph.js';
import { registerAgentRoutes } from '../gateway/agents.js';
import { registerGraphql } from '../gateway/graphql.js';
import { registerHooks } from '../gateway/hooks.js';
import { authenticateCounted } from '../gateway/http/pipeline.js';
import { parseJsonBody } from '../rest/json-body.js';
import { CallMeter, metered } from '../http/call-meter.js';
import { admitCall, createRateLimiter, graphqlCost } from '../http/rate-limit.js';
import { registerStatusRoutes } from '../gateway/status.js';
import { seeWorkers } from '../kit/work/worker-presence.js';
import type { EngineCaller } from '../kit/engine/caller.js';
import { feedStatus } from '../feeds/status.js';
import type { Demo } from './demo.js';
import type { Opened } from './services.js';
import { version } from './version.js';

/**
 * Composes the graph and builds the app of a process that answers clients. It does not listen.
 * @param demo the demo, where there is one
 */
export async function createHttp(
  { config, engines, services, local }: Opened,
  caller: EngineCaller,
  demo?: () => Pick<Demo, 'status' | 'accounts'> | null,
): Promise<FastifyInstance> {
  const { logger, database, masterKey, clock, objects, jobs, mailer, outbound } = services;
  const plain = await createGraph({ engines, caller, logger, localSchemas: local.schemas });
  const fieldUsage = new FieldUsage(plain.apiSchema, clock.now());
  const graph = counting(plain, fieldUsage);
  const meter = new CallMeter(database, clock, (err) => logger.warn({ err }, 'calls could not be counted'));
  const rateLimiter = metered(createRateLimiter(database, clock, config), meter);
  const auth = await createAuth({
    config,
    database,
    masterKey,
    clock,
    jobs,
    mailer,
    outbound,
    logger,
    rateLimiter,
    named: () => demo?.()?.accounts.people ?? [],
  });
  return createApp({
    config,
    engines,
    graph,
    auth,
    rateLimiter,
    objects,
    logger,
    version,
    fieldUsage,
    async extend(app) {
      app.addHook('onClose', () => meter.stop());
      await registerGraphql(app, {
        graph,
        logger,
        readJson: parseJsonBody,
        authenticate: (request, reply) => authenticateCounted({ auth, rateLimiter }, request, reply),
        async charge(reply, caller, fields) {
          admitCall(reply, await rateLimiter.consume(caller, graphqlCost(fields)));
        },
      });
      registerHooks(app, { engines, services, rateLimiter });
      registerAgentRoutes(app, { engines, services, rateLimiter, readJson: parseJsonBody });
      registerStatusRoutes(app, {
        caller,
        engines,
        ping: () => database.ping(),
        version,
        demo: () => demo?.()?.status,
        workers: async () => (await seeWorkers(services)).seen,
        feeds: () => feedStatus(services),
        prepare: config.ENGINES_URL ? undefined : () => local.prepare(),
        transport: config.ENGINES_URL ? 'http' : 'local',
      });
    },
  });
}
