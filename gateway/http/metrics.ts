import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Histogram, Registry } from 'prom-client';
import { forbidden } from '../../kit/base/errors.js';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

function mayRead(request: FastifyRequest, token: string | undefined): boolean {
  const given = Buffer.from(request.headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token ?? ''}`);
  if (token !== undefined && given.length === expected.length && timingSafeEqual(given, expected)) return true;
  // A call that a proxy passed on is not from this machine, whatever its socket says.
  return LOOPBACK.test(request.ip) && request.headers['x-forwarded-for'] === undefined;
}

/**
 * Counts and times requests, and serves `GET /metrics` in the text format of Prometheus to loopback and to bearers of the token. Labels are the method, the
 * route's template (never the path, which holds ids) and the status.
 * @param registry further metrics of the process may be in it
 */
export function registerMetrics(app: FastifyInstance, token: string | undefined, registry: Registry = new Registry()): void {
  const duration = new Histogram({
    name: 'palisade_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its response, in seconds.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
  app.get('/metrics', async (request, reply) => {
    if (!mayRead(request, token)) throw forbidden('Metrics are for loopback and for bearers of the metrics token');
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
