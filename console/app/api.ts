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

  /** Seconds to wait, where the server says so. */
  get retryAfter(): number | null {
    const { retry_after } = (this.detail ?? {}) as { retry_after?: unknown };
    return typeof retry_after === 'number' ? Math.ceil(retry_after) : null;
  }
}

/** Leaves for the sign-in page, which leads back to this very address. */
export function signIn(): void {
  location.assign(`/auth/login?${new URLSearchParams({ return_to: `/${location.hash}` }).toString()}`);
}

async function refusalOf(answer: Response): Promise<Refusal> {
  const body = (await answer.json().catch(() => ({}))) as { error_code?: string; message?: string; detail?: unknown };
  return new Refusal(
    answer.status,
    body.error_code ?? 'INTERNAL',
    body.message ?? `The server answered ${answer.status}`,
    body.detail ?? null,
  );
}

async function call(path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new Refusal(0, 'OFFLINE', 'The server was not reached', null);
  });
  if (answer.status === 401) signIn();
  if (!answer.ok) throw await refusalOf(answer);
  return answer;
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
): Promise<Body> {
  const answer = await call(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(version !== undefined && { 'if-match': `"${version}"` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return (answer.status === 204 ? null : await answer.json()) as Body;
}
