import fastify, { type FastifyInstance } from 'fastify';
import { storeStatus } from '../gateway/status.js';

/**
 * The server of a worker's WORKER_HEALTH_PORT: `GET /live` answers from the event loop alone, `GET /ready` is 503 while the store is away. There
 * is nothing else to ask it. It does not listen.
 * @param ping asks the store; rejects when it is away
 */
export function createWorkerHealth(ping: () => Promise<void>): FastifyInstance {
  const app = fastify({ logger: false, exposeHeadRoutes: false });
  app.get('/live', () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const store = await storeStatus(ping);
    return reply.code(store === 'ok' ? 200 : 503).send({ status: store === 'ok' ? 'ok' : 'unavailable', store: { status: store } });
  });
  return app;
}
