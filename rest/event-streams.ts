import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AuthContext } from '../kit/base/auth-context.js';
import { PalisadeError } from '../kit/base/errors.js';
import type { Variables } from './arguments.js';
import { sendOutcome, type Outcome } from './envelopes.js';
import { LAST_EVENT_HEADER, type RestRoute } from './routes.js';

/** Times of a stream, in milliseconds. */
export interface EventStreamTimes {
  /** Between two looks for events: at first after some came, and at most. */
  readonly poll: readonly [first: number, most: number];
  /** Between two comments, at which the caller's rights are read again. */
  readonly heartbeat: number;
  /** After which a stream ends, so that what it costs is counted anew; its reader connects again. */
  readonly whole: number;
}

const USUAL: EventStreamTimes = { poll: [250, 2_000], heartbeat: 15_000, whole: 3_600_000 };
/** Streams of one tenant in this process. */
const MOST_OF_A_TENANT = 100;
/** When a reader whose connection was lost tries again, in milliseconds. */
const RETRY = 2_000;

/** An event as a field of a stream gives it. */
interface StreamedEvent {
  readonly position: number;
  readonly type: string;
}
interface Answer {
  readonly items: readonly StreamedEvent[];
  readonly is_final: boolean;
}

/** One call of a stream. */
export interface EventCall {
  readonly auth: AuthContext;
  readonly variables: Variables;
  /** Asks the field once, with these rights. @throws when they do not reach */
  ask(auth: AuthContext, variables: Variables, signal: AbortSignal): Promise<Outcome>;
  /** Who calls now. @throws when the session is over */
  authenticate(): Promise<AuthContext>;
}

const lineOf = (event: StreamedEvent): string => `id: ${event.position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Answers with server-sent events (HTML standard, "Server-sent events"). They come from the store, so that every process of a deployment can send them. */
export class EventStreams {
  private readonly ofTenant = new Map<string, number>();
  private readonly closing = new AbortController();

  constructor(
    app: FastifyInstance,
    private readonly times: EventStreamTimes = USUAL,
  ) {
    // a process that ends does not wait for runs
    app.addHook('preClose', async () => this.closing.abort());
  }

  /** Sends what there is and what comes. What is wrong with the first answer is answered as anywhere. */
  async send(reply: FastifyReply, route: RestRoute, call: EventCall): Promise<FastifyReply> {
    const left = new AbortController();
    let isOpen = false;
    reply.raw.once('close', () => {
      left.abort();
      if (isOpen) this.leave(call.auth.tenant_id);
    });
    const signal = AbortSignal.any([left.signal, this.closing.signal]);
    const first = await call.ask(call.auth, call.variables, signal);
    if (!first.ok) return sendOutcome(reply, route, first);
    if (!left.signal.aborted) this.enter(call.auth.tenant_id);
    isOpen = !left.signal.aborted;
    const events = this.events(first.value as Answer, route.headers![LAST_EVENT_HEADER]!, call, signal);
    return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(Readable.from(events));
  }

  private enter(tenantId: string): void {
    const open = this.ofTenant.get(tenantId) ?? 0;
    if (open >= MOST_OF_A_TENANT) {
      const detail = { window: 'streams', limit: MOST_OF_A_TENANT, retry_after: Math.ceil(this.times.heartbeat / 1_000) };
      throw new PalisadeError('RATE_LIMITED', 'Too many streams of events are open', detail);
    }
    this.ofTenant.set(tenantId, open + 1);
  }

  private leave(tenantId: string): void {
    const open = this.ofTenant.get(tenantId)! - 1;
    if (open === 0) this.ofTenant.delete(tenantId);
    else this.ofTenant.set(tenantId, open);
  }

  private async *events(first: Answer, argument: string, call: EventCall, signal: AbortSignal): AsyncGenerator<string> {
    const { poll, heartbeat, whole } = this.times;
    const end = performance.now() + whole;
    let { auth } = call;
    let after = call.variables[argument];
    let beat = performance.now() + heartbeat;
    let pause = poll[0];
    yield `retry: ${RETRY}\n\n`;
    for (let answer: Answer | null = first; ;) {
      for (const event of answer?.items ?? []) yield lineOf(event);
      after = answer?.items.at(-1)?.position ?? after;
      if (answer?.is_final || performance.now() >= end) return;
      pause = answer?.items.length ? poll[0] : Math.min(pause * 2, poll[1]);
      await sleep(Math.max(0, Math.min(pause, beat - performance.now())), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (performance.now() >= beat) {
        const now = await call.authenticate().catch(() => null);
        // a session that is over, or another tenant's by now
        if (now?.tenant_id !== auth.tenant_id) return;
        auth = now;
        beat = performance.now() + heartbeat;
        yield ': heartbeat\n\n';
      }
      const asked = { ...call.variables, [argument]: after };
      // a permission that is gone ends the stream; an engine that is away for a moment is asked again
      const outcome = await call.ask(auth, asked, signal).catch(() => 'refused' as const);
      if (outcome === 'refused' || (!outcome.ok && isOver(outcome.error))) return;
      answer = outcome.ok ? (outcome.value as Answer) : null;
    }
  }
}

/** Whether a later answer can be no other: what is asked for is gone, or the caller may not read it any more. */
function isOver(error: unknown): boolean {
  const code = (error as { extensions?: { code?: unknown } }).extensions?.code;
  return code === 'NOT_FOUND' || code === 'FORBIDDEN';
}
