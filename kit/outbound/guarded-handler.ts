import { Readable } from 'node:stream';
import { readBounded } from './bounded-body.js';
import type { Outbound } from './outbound.js';

/** A request as a client of AWS's SDK hands it to its connections. */
interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | string[] | null>>;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The bounds of a call. */
export interface GuardedCall {
  readonly signal: AbortSignal;
  /** Milliseconds that one request may take, its answer included. */
  readonly timeoutMs: number;
  /** Bytes read of an answer. */
  readonly mostBytes: number;
}

/**
 * A request handler by which a client of AWS's SDK calls through guarded connections only.
 * @returns what the client takes as `requestHandler`; it throws what `outbound.fetch` throws, and BodyTooLong
 */
export function guardedHandler(outbound: Pick<Outbound, 'fetch'>, { signal, timeoutMs, mostBytes }: GuardedCall) {
  return {
    async handle(request: SignedRequest) {
      const query = Object.entries(request.query ?? {}).flatMap(([name, values]) =>
        [values].flat().map((value) => `${encodeURIComponent(name)}${value == null ? '' : `=${encodeURIComponent(value)}`}`),
      );
      // of a stream nobody else knows the length
      const isStream = request.body instanceof Readable;
      const dropped = isStream ? /^host$/i : /^(host|content-length)$/i;
      const origin = `${request.protocol}//${request.hostname}${request.port ? `:${request.port}` : ''}`;
      const response = await outbound.fetch(`${origin}${request.path}${query.length ? `?${query.join('&')}` : ''}`, {
        method: request.method,
        headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped.test(name))),
        body: request.body as Buffer | Readable | undefined,
        ...(isStream && { duplex: 'half' as const }),
        signal,
        timeoutMs,
      });
      const body = Readable.from(await readBounded(response.body, mostBytes), { objectMode: false });
      return { response: { statusCode: response.status, headers: Object.fromEntries(response.headers), body } };
    },
  };
}
