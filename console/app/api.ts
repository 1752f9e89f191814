import { prove, waysIn } from './proof.js';

/** Why a call did not do what it should, as the API says it. */
export class Refusal extends Error {
  constructor(
    /** HTTP status; 0 where the server was not reached. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly detail: unknown,
  ) {
    super(message);
  }

  /** Whether the same may go better next time: nothing was reached, too much was asked, or the server is in trouble. */
  get mayPass(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** Seconds to wait, where the server says so. */
  get retryAfter(): number | null {
    const { retry_after } = (this.detail ?? {}) as { retry_after?: unknown };
    return typeof retry_after === 'number' ? Math.ceil(retry_after) : null;
  }
}

/** What went wrong, as a refusal. */
export const refusalFor = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(0, 'INTERNAL', error instanceof Error ? error.message : String(error), null);

/** Leaves for the sign-in page, which leads back to this very address. */
export function signIn(): void {
  location.assign(`/auth/login?${new URLSearchParams({ return_to: `/${location.hash}` }).toString()}`);
}

interface ErrorBody {
  readonly error_code?: string;
  readonly code?: string;
  readonly message?: string;
  readonly detail?: unknown;
}

/** What the server refused, from its answer; a body that is none of the API's says nothing. */
export function refusalIn(status: number, body: unknown): Refusal {
  const { errors, ...own } = (body ?? {}) as ErrorBody & { readonly errors?: readonly (ErrorBody & { readonly extensions?: ErrorBody })[] };
  // the graph lists errors, with the code and the particulars of each in its extensions
  const { error_code, code, message, detail } = errors?.[0] ? { ...errors[0], ...errors[0].extensions } : own;
  return new Refusal(status, error_code ?? code ?? 'INTERNAL', message ?? `The server answered ${status}`, detail ?? null);
}

/** That the server was not reached. */
export const offline = (): Refusal => new Refusal(0, 'OFFLINE', 'The server was not reached', null);

async function call(path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw offline();
  });
  if (answer.ok) return answer;
  const refusal = refusalIn(answer.status, await answer.json().catch(() => null));
  const ways = answer.status === 401 ? waysIn(refusal.detail) : null;
  if (ways && (await prove(ways))) return call(path, init);
  if (answer.status === 401 && !ways) signIn();
  throw refusal;
}

/** Reads something of the API. @throws Refusal */
export async function ask<Body>(path: string, signal?: AbortSignal): Promise<Body> {
  const answer = await call(path, { headers: { accept: 'application/json' }, signal });
  return (await answer.json()) as Body;
}

/**
 * Changes something.
 * @param version what the caller has read; another one by now is refused with 412
 * @throws Refusal
 */
export async function send<Body>(
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  version?: number,
  signal?: AbortSignal,
): Promise<Body> {
  const answer = await call(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(version !== undefined && { 'if-match': `"${version}"` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  });
  return (answer.status === 204 ? null : await answer.json()) as Body;
}
