import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kit/base/clock.js';
import { BodyTooLong, readBounded } from '../kit/outbound/bounded-body.js';
import { ForbiddenTarget, type Outbound } from '../kit/outbound/outbound.js';
import { Patience } from './patience.js';

/** One call of an interface that speaks JSON. */
export interface RestCall {
  /** With its query; below the base address, or whole where the interface gave the address of a next page, which must be of the same origin. */
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  /** Sent as JSON; a URLSearchParams as a form. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the interface answered in the end: also an error, which is the caller's to judge. */
export interface RestAnswer {
  readonly status: number;
  readonly ok: boolean;
  /** The body as JSON; undefined where it is empty, or an error that is no JSON. */
  readonly body: unknown;
  /** What stands in a header, where an interface names the next page there. */
  readonly header?: (name: string) => string | null;
}

/** What is about to be sent, as far as interfaces have it signed. */
export interface Sent {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  /** As it is sent; undefined where there is none. */
  readonly body: string | undefined;
  readonly contentType: string | undefined;
}

/** A call got no answer that can be read, however often it was made. The message is told to people: it names no address and no secret. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';

  /** @param isNowhere the host has no address: it may be one of a service that is not in the region, and time does not change it */
  constructor(
    message: string,
    readonly isNowhere = false,
  ) {
    super(message);
  }
}

export interface RestClientOptions {
  /** By what calls go out: the guard, or what a guard of one's own gives (a cluster has a certificate authority of its own). */
  readonly outbound: Pick<Outbound, 'fetch'>;
  readonly clock: Clock;
  /** `https://management.azure.com`; paths are put behind it. */
  readonly base: string;
  /** Headers of every call, asked anew for each try, so that a token that ends is followed by the next one, and no signature grows old. */
  readonly headers?: (signal: AbortSignal, sent: Sent) => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  /** Whether an answer of another status than 429 says that calls are throttled, too. */
  readonly isThrottled?: (answer: RestAnswer) => boolean;
  /** Reads a body that is not empty; as JSON when absent. @throws where it is none of the form */
  readonly read?: (text: string) => unknown;
  /** Milliseconds that a try may take, body included; 60,000 when absent. */
  readonly timeoutMs?: number;
  /** Bytes of a body; 32 MiB when absent. */
  readonly mostBytes?: number;
  /** Milliseconds before a call is made again, half of it left to chance; there are as many more tries, and of what is throttled the last one is repeated. */
  readonly pauses?: readonly number[];
  /** Milliseconds for which calls are made again that are all throttled; ten minutes when absent. */
  readonly patienceMs?: number;
}

export interface RestClient {
  /**
   * Makes one call, again where the interface asks for patience, has a fault, or cannot be reached.
   * @throws the reason of the signal; ForbiddenTarget; CallFailed; what `headers` throws
   */
  call(call: RestCall, signal: AbortSignal): Promise<RestAnswer>;
}

const PAUSES = [500, 2_000, 8_000, 20_000];
const MIB = 1_048_576;

/** Calls of one interface with one identity: what it holds of a credential lasts as long as it does. */
export function createRestClient(options: RestClientOptions): RestClient {
  const { clock, pauses = PAUSES } = options;
  const patience = new Patience(options.patienceMs);
  return {
    async call(call, signal) {
      for (let attempt = 0; ; attempt++) {
        signal.throwIfAborted();
        const told = await tryOnce(options, call, signal);
        const became = outcomeOf(options, told);
        if (became !== 'throttled' && !(told instanceof CallFailed)) patience.answered();
        const wanted = told instanceof CallFailed ? 0 : wantedPause(told.retryAfter, clock.now());
        const pause = became === 'final' ? undefined : (pauses[attempt] ?? (became === 'throttled' ? pauses.at(-1) : undefined));
        if (became === 'throttled' && !patience.lasts(wanted + (pause ?? 0))) throw new CallFailed(`${patience.told}.`);
        if (pause === undefined) {
          if (told instanceof CallFailed) throw told;
          return told.answer;
        }
        // calls that were turned away together do not come together again
        await sleep(wanted + pause / 2 + (Math.random() * pause) / 2, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    },
  };
}

/** Whether a call is made again: until its patience ends, or a few times. */
function outcomeOf({ isThrottled }: RestClientOptions, told: Told | CallFailed): 'throttled' | 'fault' | 'final' {
  if (told instanceof CallFailed) return told.isNowhere ? 'final' : 'fault';
  const { answer, retryAfter } = told;
  const { status } = answer;
  if (status === 429 || (status === 503 && retryAfter !== null) || isThrottled?.(answer) === true) return 'throttled';
  return status === 408 || (status >= 500 && status !== 501) ? 'fault' : 'final';
}

/** Milliseconds that `Retry-After` asks for, in seconds or as a date (RFC 9110, 10.2.3). */
function wantedPause(text: string | null, now: Date): number {
  if (text === null) return 0;
  const wanted = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  return Number.isFinite(wanted) ? Math.max(0, wanted) : 0;
}

interface Told {
  readonly answer: RestAnswer;
  readonly retryAfter: string | null;
}

/** @returns CallFailed where it may go better another time @throws the reason of the signal; what does not change by itself */
async function tryOnce(options: RestClientOptions, call: RestCall, signal: AbortSignal): Promise<Told | CallFailed> {
  const { outbound, base, timeoutMs = 60_000, mostBytes = 32 * MIB } = options;
  const { method = 'GET', body } = call;
  const url = addressOf(call.path, base);
  const contentType = body === undefined ? undefined : body instanceof URLSearchParams ? FORM : 'application/json';
  const sent = body === undefined ? undefined : body instanceof URLSearchParams ? body.toString() : JSON.stringify(body);
  const own = await options.headers?.(signal, { url: new URL(url), method, body: sent, contentType });
  try {
    const response = await outbound.fetch(url, {
      method,
      headers: { accept: 'application/json', ...own, ...call.headers, ...(contentType !== undefined && { 'content-type': contentType }) },
      ...(sent !== undefined && { body: sent }),
      signal,
      timeoutMs,
    });
    const text = (await readBounded(response.body, mostBytes)).toString('utf8');
    const { status, ok, headers } = response;
    const header = (name: string): string | null => headers.get(name);
    return { answer: { status, ok, body: bodyOf(text, ok, options.read), header }, retryAfter: header('retry-after') };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ForbiddenTarget || error instanceof CallFailed) throw error;
    if (error instanceof BodyTooLong) throw new CallFailed(`The interface ${error.message.replace('the other side ', '')}.`);
    return failureOf(error, timeoutMs);
  }
}

const FORM = 'application/x-www-form-urlencoded';

/** @throws CallFailed for another origin than that of the base: what is sent there is not for others */
function addressOf(path: string, base: string): string {
  if (path.startsWith('/')) return `${base.replace(/\/$/, '')}${path}`;
  const url = URL.parse(path);
  if (url?.origin !== new URL(base).origin) throw new CallFailed('The interface named a next page that is not its own.');
  return url.href;
}

function bodyOf(text: string, ok: boolean, read: (text: string) => unknown = JSON.parse): unknown {
  if (text.trim() === '') return undefined;
  try {
    return read(text);
  } catch {
    if (ok)
      throw new CallFailed(
        read === JSON.parse ? 'The interface answered with something else than JSON.' : 'The answer of the interface cannot be read.',
      );
    return undefined;
  }
}

/** What may be said of a call that got no answer: the code of the fault, never its text, which names addresses. */
function failureOf(error: unknown, timeoutMs: number): CallFailed {
  const { name, cause } = error as { name?: unknown; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return new CallFailed(`The interface did not answer within ${timeoutMs / 1_000} seconds.`);
  const code = cause?.code ?? (error as { code?: unknown }).code;
  const said = typeof code === 'string' ? ` (${code.slice(0, 60)})` : '';
  return new CallFailed(`The interface could not be reached${said}.`, code === 'ENOTFOUND');
}
