import type { FastifyInstance } from 'fastify';
import { systemAuthContext } from '../kit/base/auth-context.js';
import type { Engine } from '../kit/engine/engine.js';
import { unknownDecision } from './http/pipeline.js';
import { setRateLimitHeaders } from '../http/rate-limit.js';
import type { EngineCaller } from '../kit/engine/caller.js';

export interface StatusOptions {
  readonly caller: EngineCaller;
  /** All listed engines, those behind a URL too. */
  readonly engines: readonly Engine[];
  /** Asks the store; rejects when it is away. */
  readonly ping: () => Promise<void>;
  readonly version: string;
  readonly transport: 'local' | 'http';
  /** Makes engines of this process ready to be asked; the time that it takes is not theirs to answer in. */
  readonly prepare?: () => Promise<void>;
  /** How far the demo is, where there is one. */
  readonly demo?: () => DemoStatus | undefined;
  /** How many processes take jobs; not told when absent. */
  readonly workers?: () => Promise<number>;
  /** How the vulnerability feeds are, by kind; those that nobody has loaded are left out. */
  readonly feeds?: () => Promise<Readonly<Record<string, unknown>>>;
  /** Milliseconds after which an engine or the store counts as down; 1,500 when absent. */
  readonly probeMs?: number;
}

/** The demo of a process, whose reports come in while it answers already. */
export interface DemoStatus {
  readonly status: 'loading' | 'loaded' | 'failed';
  readonly reports: number;
  readonly loaded: number;
}

type Status = 'ok' | 'down';

interface Health {
  status: 'ok' | 'degraded';
  version: string;
  uptime_seconds: number;
  store: { status: Status };
  engines: Record<string, { status: Status }>;
  /** Absent where it is not known. With none, runs stay QUEUED. */
  workers?: { status: 'ok' | 'none'; seen: number };
  feeds?: Readonly<Record<string, unknown>>;
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

/** Milliseconds after which an engine or the store counts as down. */
const PROBE_MS = 1_500;

/** Whether the store answers in time. @param ping asks it; rejects when it is away */
export const storeStatus = (ping: () => Promise<void>, probeMs = PROBE_MS): Promise<Status> => within(probeMs, ping());

function createProbe({
  caller,
  engines,
  ping,
  version,
  prepare,
  workers,
  feeds,
  probeMs = PROBE_MS,
}: StatusOptions): () => Promise<Health> {
  const started = process.uptime();
  const answers = async (engine: string): Promise<boolean> => {
    const { errors } = await caller.call({ engine, query: '{ __typename }', auth: prober, timeoutMs: probeMs });
    return !errors?.length;
  };
  // Asked twice: of several processes behind one address, the next one may be there.
  const engineStatus = async (engine: string): Promise<Status> => ((await answers(engine)) || (await answers(engine)) ? 'ok' : 'down');
  const probe = async (): Promise<Health> => {
    await prepare?.();
    const [store, ...statuses] = await Promise.all([storeStatus(ping, probeMs), ...engines.map(({ name }) => engineStatus(name))]);
    // what cannot be asked now tells nothing of whether calls can be served
    const told = store === 'ok' ? await feeds?.().catch(() => undefined) : undefined;
    const all = [store!, ...statuses];
    const seen = store === 'ok' ? await workers?.().catch(() => undefined) : undefined;
    return {
      status: all.every((status) => status === 'ok') ? 'ok' : 'degraded',
      version,
      uptime_seconds: Math.round(process.uptime() - started),
      store: { status: store! },
      engines: Object.fromEntries(engines.map(({ name }, index) => [name, { status: statuses[index]! }])),
      ...(seen !== undefined && { workers: { status: seen > 0 ? 'ok' : 'none', seen } }),
      ...(told && { feeds: told }),
    };
  };
  let shared: { until: number; health: Promise<Health> } | null = null;
  return () => {
    const now = performance.now();
    if (!shared || shared.until < now) shared = { until: now + SHARED_FOR, health: probe() };
    return shared.health;
  };
}

/** Why a process whose engines and store answer cannot serve every call yet; undefined where it can. */
function reasonOf(demo: DemoStatus | undefined): string | undefined {
  if (demo?.status === 'loading') return `The demo is being loaded: ${demo.loaded} of ${demo.reports} reports are in`;
  return demo?.status === 'failed' ? 'The demo could not be loaded: the log of the process says why' : undefined;
}

/**
 * Adds the operational endpoints (specification, "Endpoints"): `/gateway/health` (200 also when degraded, so that one engine takes no
 * gateway out of service), `/gateway/health/live` (200 from the event loop alone), `/gateway/health/ready` (503 while a call could not be
 * served: the store is away, or all processes of an engine, or the demo is not in yet) and `/gateway/services`. They are public and tell nothing of any tenant.
 */
export function registerStatusRoutes(app: FastifyInstance, options: StatusOptions): void {
  const health = createProbe(options);
  const demo = () => options.demo?.();
  app.get('/gateway/health', async () => ({ ...(await health()), demo: demo() }));
  // Its headers are set here: to look a limit up, it would have to wait for the store.
  app.get('/gateway/health/live', async (_request, reply) => {
    setRateLimitHeaders(reply, unknownDecision());
    return { status: 'ok' };
  });
  app.get('/gateway/health/ready', async (_request, reply) => {
    setRateLimitHeaders(reply, unknownDecision());
    const { status, store, engines } = await health();
    const reason = reasonOf(demo());
    const ready = status === 'ok' && reason === undefined;
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable', reason, store, engines });
  });
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
