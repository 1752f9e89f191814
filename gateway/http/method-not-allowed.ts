import type { FastifyInstance, RouteOptions } from 'fastify';
import { methodNotAllowed } from '../../http/envelope.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A registered endpoint: its method, and its path in the router's notation. */
export interface Endpoint {
  readonly method: string;
  readonly url: string;
}

/** Whether a request for the path of `ours` can also be meant for `pattern`: equal segments, or a parameter there. */
const covers = (pattern: readonly string[], ours: readonly string[]): boolean =>
  pattern.length === ours.length && pattern.every((segment, index) => segment === ours[index] || segment.startsWith(':'));

/** Remembers every endpoint that is added to `app` from now on. */
export function collectEndpoints(app: FastifyInstance): Endpoint[] {
  const endpoints: Endpoint[] = [];
  app.addHook('onRoute', ({ method, url }: RouteOptions) => {
    for (const name of [method].flat()) endpoints.push({ method: name.toUpperCase(), url });
  });
  return endpoints;
}

/**
 * Makes every known path answer 405 with `Allow` to the methods that it does not have (RFC 9110, 15.5.6). A method that a covering pattern has
 * is left to that pattern: `GET /rules/custom` is `GET /rules/{rule_id}`.
 */
export function registerMethodNotAllowed(app: FastifyInstance, collected: readonly Endpoint[]): void {
  const methodsOf = new Map<string, { segments: string[]; methods: string[] }>();
  for (const { method, url } of collected) {
    const known = methodsOf.get(url);
    if (known) known.methods.push(method);
    else methodsOf.set(url, { segments: url.split('/'), methods: [method] });
  }
  for (const [url, { segments }] of methodsOf) {
    const covering = [...methodsOf.values()].filter((pattern) => covers(pattern.segments, segments));
    const allowed = new Set(covering.flatMap(({ methods }) => methods));
    const allow = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((method) => allowed.has(method));
    const rest = METHODS.filter((method) => !allowed.has(method) && !url.includes('*'));
    if (rest.length === 0) continue;
    app.route({
      method: [...rest],
      url,
      onRequest: async () => {
        throw methodNotAllowed(allow);
      },
      handler: () => undefined,
    });
  }
}
