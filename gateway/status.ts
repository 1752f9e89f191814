import type { FastifyInstance } from 'fastify';
import { systemAuthContext } from '../kit/base/auth-context.js';
import type { Engine } from '../kit/engine/engine.js';
import type { EngineCaller } from '../kit/engine/caller.js';

export interface StatusOptions {
  readonly caller: EngineCaller;
  /** All listed engines, those behind a URL too. */
  readonly engines: readonly Engine[];
  /** Asks the store; rejects when it is away. */
  readonly ping: () => Promise<void>;
  readonly version: string;
  readonly transport: 'local' | 'http';
  /** Milliseconds after which an engine or the store counts as down; 1,500 when absent. */
  readonly probeMs?: number;
}

type Status = 'ok' | 'down';

interface Health {
  status: 'ok' | 'degraded';
  version: string;
  uptime_seconds: number;
  store: { status: Status };
  engines: Record<string, { status: Status }>;
}

/** Milliseconds that one answer serves all who ask: the endpoint is public, and each answer is a call to every engine. */
const SHARED_FOR = 1_000;

/** Nobody: enough to be let in, and to read nothing. */
const prober = systemAuthContext({ tenant_id: 'system', organization_id: 'system', plan: 'starter' }, 'viewer', []);

async function within(ms: number, work: Promise<unknown>): Promise<Status> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Status>((resolve) => (timer = setTimeout(() => resolve('down'), ms)));
  const asked = work.then(
    (): Status => 'ok',
    (): Status => 'down',
  );
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

function createProbe({ caller, engines, ping, version, probeMs = 1_500 }: StatusOptions): () => Promise<Health> {
  const started = process.uptime();
  const engineStatus = async (engine: string): Promise<Status> => {
    const { errors } = await caller.call({ engine, query: '{ __typename }', auth: prober, timeoutMs: probeMs });
    return errors?.length ? 'down' : 'ok';
  };
  const probe = async (): Promise<Health> => {
    const [store, ...statuses] = await Promise.all([within(probeMs, ping()), ...engines.map(({ name }) => engineStatus(name))]);
    const all = [store!, ...statuses];
    return {
      status: all.every((status) => status === 'ok') ? 'ok' : 'degraded',
      version,
      uptime_seconds: Math.round(process.uptime() - started),
      store: { status: store! },
      engines: Object.fromEntries(engines.map(({ name }, index) => [name, { status: statuses[index]! }])),
    };
  };
  let shared: { until: number; health: Promise<Health> } | null = null;
  return () => {
    const now = performance.now();
    if (!shared || shared.until < now) shared = { until: now + SHARED_FOR, health: probe() };
    return shared.health;
  };
}

/**
 * Adds the operational endpoints (specification, "Endpoints"): `/gateway/health` (200 also when degraded, so that one engine takes no
 * gateway out of service) and `/gateway/services`. They are public and tell nothing of any tenant.
 */
export function registerStatusRoutes(app: FastifyInstance, options: StatusOptions): void {
  const health = createProbe(options);
  app.get('/gateway/health', () => health());
  app.get('/gateway/services', async () => {
    const { engines } = await health();
    return {
      services: options.engines.map(({ name, label, description, prefixes, findings }) => ({
        name,
        label,
        description,
        prefixes,
        view_segment: findings?.viewSegment ?? null,
        permission: findings?.permission ?? null,
        transport: options.transport,
        status: engines[name]!.status,
      })),
    };
  });
}
