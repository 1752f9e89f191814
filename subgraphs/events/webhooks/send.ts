import type { EngineServices } from '../../../kit/engine/context.js';
import { networkCode } from '../../../kit/outbound/network-code.js';
import { ForbiddenTarget } from '../../../kit/outbound/outbound.js';
import type { DeliveryRow, WebhookAttempt, WebhookRow } from './records.js';
import { retryAfter } from './schedule.js';
import { signedHeaders } from './secrets.js';

/** Milliseconds that an endpoint has to answer. */
const TIMEOUT_MS = 10_000;
/** Bytes of an answer's body that the ledger keeps. */
const KEPT = 1_024;

/** What came of one try. */
export interface Outcome {
  readonly attempt: WebhookAttempt;
  readonly sent: boolean;
  /** 410: the endpoint wants nothing any more. */
  readonly gone: boolean;
  /** 429 and 503 may say for how long the endpoint wants to be left alone; milliseconds. */
  readonly wish: number | null;
}

/**
 * Sends a delivery once. 2xx is success and everything else is not, redirects included: they are not followed.
 * @returns null when `signal` ended the try: nothing is known of it then
 */
export async function send(
  { outbound, masterKey, clock }: Pick<EngineServices, 'outbound' | 'masterKey' | 'clock'>,
  webhook: WebhookRow,
  delivery: DeliveryRow,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const at = clock.now();
  const began = performance.now();
  const attempt = (result: Pick<WebhookAttempt, 'status' | 'error' | 'response'>): WebhookAttempt => ({
    at,
    latency_ms: Math.round(performance.now() - began),
    ...result,
  });
  try {
    const response = await outbound.fetch(webhook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Palisade-Webhooks/1.0',
        ...signedHeaders(masterKey, webhook, delivery.delivery_id, at, delivery.payload),
      },
      body: delivery.payload,
      signal,
      timeoutMs: TIMEOUT_MS,
    });
    const { status, ok } = response;
    const text = await beginning(response.body);
    const error = ok ? null : status >= 300 && status < 400 ? 'redirects are not followed' : `the endpoint answered ${status}`;
    const wish = status === 429 || status === 503 ? retryAfter(response.headers.get('retry-after'), at) : null;
    return { attempt: attempt({ status, error, response: text }), sent: ok, gone: status === 410, wish };
  } catch (error) {
    if (signal.aborted) return null;
    return { attempt: attempt({ status: null, error: reasonOf(error), response: null }), sent: false, gone: false, wish: null };
  }
}

/** The first bytes of a body as text; the rest is not read. One that breaks off or does not end takes nothing back of the status. */
async function beginning(body: AsyncIterable<Uint8Array> | null): Promise<string | null> {
  if (!body) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= KEPT) break;
    }
  } catch {
    // what came until then is kept
  }
  return Buffer.concat(chunks).subarray(0, KEPT).toString('utf8');
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve',
};

/** Why there was no answer, in words that may be shown to the tenant: nothing of our own network is in them. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenTarget) return error.message;
  if ((error as { name?: string }).name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} seconds`;
  const code = networkCode(error);
  if (code === undefined) return 'the connection failed';
  if (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code)) return 'the certificate of the endpoint is not trusted';
  return REASONS[code] ?? `the connection failed (${code})`;
}
