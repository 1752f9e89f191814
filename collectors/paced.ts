import type { Response } from 'undici';
import type { Outbound } from '../kit/outbound/outbound.js';

/** How fast the interfaces of an account are called, by all who call them. */
export interface Pace {
  /** Waits until a call of a host may be made. @throws the reason of the signal */
  pass(host: string, signal?: AbortSignal): Promise<void>;
  /** Takes note that a host has asked for patience: nobody calls it for a while. */
  slowDown(host: string): Promise<void>;
}

/** What interfaces answer that are called too fast. */
const TOO_FAST = new Set([429, 503]);
/** Those of AWS and of Alibaba Cloud answer 400, and say it in a header or in the body: `Throttling`, `ThrottlingException`, `Throttling.User`. */
const THROTTLED = /Throttl|TooManyRequests|RequestLimitExceeded/;
/** Bytes of an answer that is an error, at most; of others nothing is read here. */
const MOST_BYTES = 65_536;

async function isTooFast(response: Response): Promise<boolean> {
  const { status, headers } = response;
  if (TOO_FAST.has(status) || THROTTLED.test(headers.get('x-amzn-errortype') ?? '')) return true;
  if (status !== 400 || Number(headers.get('content-length') ?? Infinity) > MOST_BYTES) return false;
  return THROTTLED.test(await response.clone().text());
}

/** The way out at a pace. Hosts stand for services: providers count the calls of an account by service and region, and these have hosts of their own. */
export function paced(outbound: Outbound, pace: Pace): Outbound {
  return {
    assertAllowed: (url) => outbound.assertAllowed(url),
    assertReachable: (url) => outbound.assertReachable(url),
    async fetch(url, init) {
      const host = URL.parse(url)?.host ?? '';
      await pace.pass(host, init?.signal ?? undefined);
      const response = await outbound.fetch(url, init);
      if (await isTooFast(response)) await pace.slowDown(host);
      return response;
    },
    trusting: (certificates) => paced(outbound.trusting(certificates), pace),
    dispatcher: outbound.dispatcher,
    close: () => outbound.close(),
  };
}
