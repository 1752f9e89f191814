import type { Clock } from '../kit/base/clock.js';
import { CallFailed, type RestAnswer } from './rest-client.js';
import { ConnectionRefused } from './types.js';

/** Milliseconds before its end from which a token is not used any more: a call that begins with it must end with it. */
const MARGIN = 300_000;

export interface AccessTokenOptions {
  readonly clock: Clock;
  /** Asks the provider's token service. */
  ask(signal: AbortSignal): Promise<RestAnswer>;
  /** The sentence for people when the service refuses; it is given the code of the error. */
  refused(code: string): string;
}

/**
 * A token of OAuth 2.0 (RFC 6749, 5.1), asked for when it is needed first and again before it ends.
 * @returns headers with the token; throws ConnectionRefused, CallFailed, the reason of the signal
 */
export function accessToken({ clock, ask, refused }: AccessTokenOptions) {
  let kept: { value: string; until: number } | null = null;
  let asking: Promise<{ value: string; until: number }> | null = null;

  const renew = async (signal: AbortSignal): Promise<{ value: string; until: number }> => {
    const answer = await ask(signal);
    const body = (answer.body ?? {}) as { access_token?: unknown; expires_in?: unknown };
    if (answer.ok && typeof body.access_token === 'string') {
      const seconds = Number(body.expires_in);
      return { value: body.access_token, until: clock.now().getTime() + (Number.isFinite(seconds) ? seconds * 1_000 : 0) - MARGIN };
    }
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) throw new ConnectionRefused(refused(codeOf(answer)));
    throw new CallFailed(`The token service answered ${answer.status}.`);
  };

  return async (signal: AbortSignal): Promise<Readonly<Record<string, string>>> => {
    if (kept === null || kept.until <= clock.now().getTime()) {
      // calls that go out together share one token
      asking ??= renew(signal).finally(() => (asking = null));
      kept = await asking;
    }
    return { authorization: `Bearer ${kept.value}` };
  };
}

/** The number of Microsoft or the code of IBM where there is one, else the word of RFC 6749; texts of errors name applications and directories. */
function codeOf({ status, body }: RestAnswer): string {
  const { error, error_codes, errorCode } = (body ?? {}) as { error?: unknown; error_codes?: unknown; errorCode?: unknown };
  if (typeof errorCode === 'string' && /^\w{1,40}$/.test(errorCode)) return errorCode;
  const number: unknown = Array.isArray(error_codes) ? error_codes[0] : undefined;
  if (typeof number === 'number') return `AADSTS${number}`;
  return typeof error === 'string' && /^[\w-]{1,60}$/.test(error) ? error : String(status);
}
