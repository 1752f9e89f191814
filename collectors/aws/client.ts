import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kit/base/clock.js';
import { readBounded } from '../../kit/outbound/bounded-body.js';
import type { Outbound } from '../../kit/outbound/outbound.js';
import { sign, type AwsKey } from './sign.js';
import type { Trial } from './trials.js';

/** What AWS answered. */
export interface AwsAnswer {
  readonly status: number;
  readonly body: string;
  /** The code of its error; null where it was none, or has none. */
  readonly code: string | null;
}

/** By what calls go out. */
export interface AwsCalls {
  readonly outbound: Pick<Outbound, 'fetch'>;
  readonly clock: Clock;
  /** Stands for all of AWS; for tests. */
  readonly endpoint?: string;
  /** Milliseconds before each further try of a call that `collect` makes; for tests. */
  readonly pauses?: readonly number[];
  /** Milliseconds for which a service that throttles all calls of `collect` is asked again; for tests. */
  readonly patienceMs?: number;
}

const MOST_BYTES = 1_048_576;
const TIMEOUT = 20_000;
/** Milliseconds before a call that was throttled, or met a fault of AWS, is made again; half of it is left to chance, so that calls do not come together again. */
export const PAUSES = [500, 2_000, 8_000];
export const THROTTLED = /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|PriorRequestNotComplete/;

/** Where services of a region are asked: that of IAM is one for all regions of a partition. */
function addressOf({ service: name, host: service = name, global }: Pick<Trial, 'service' | 'host' | 'global'>, region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (!global) return `https://${service}.${region}.${domain}`;
  if (region.startsWith('us-gov-')) return `https://${service}.us-gov.${domain}`;
  return region.startsWith('cn-') ? `https://${service}.cn-north-1.${domain}` : `https://${service}.${domain}`;
}

/** The region that signatures of services without regions name. */
function homeOf(region: string): string {
  if (region.startsWith('cn-')) return 'cn-north-1';
  return region.startsWith('us-gov-') ? 'us-gov-west-1' : 'us-east-1';
}

/** Makes one call, again where AWS asks for patience. @throws the reason of the signal; what the network throws */
export async function callAws(
  { outbound, clock, endpoint }: AwsCalls,
  trial: Omit<Trial, 'permission'>,
  region: string,
  key: AwsKey,
  signal: AbortSignal,
): Promise<AwsAnswer> {
  const url = new URL(trial.path, endpoint ?? addressOf(trial, region));
  const { service: name, signedAs: service = name, method, headers = {}, body = '' } = trial;
  const place = trial.global ? homeOf(region) : region;
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    const { host: _, ...sent } = await sign({ service, region: place, method, url, headers, body }, key, clock.now());
    const response = await outbound.fetch(url.href, {
      method,
      headers: sent,
      ...(method === 'POST' && { body }),
      signal,
      timeoutMs: TIMEOUT,
    });
    const text = (await readBounded(response.body, MOST_BYTES)).toString('utf8');
    const code = response.ok ? null : codeOf(text, response.headers.get('x-amzn-errortype'));
    const pause = PAUSES[attempt];
    const isPatient = response.status >= 500 || response.status === 429 || (code !== null && THROTTLED.test(code));
    if (!isPatient || pause === undefined) return { status: response.status, body: text, code };
    await sleep(pause / 2 + (Math.random() * pause) / 2, undefined, { signal });
  }
}

/** The code of an error, in each of the ways in which services write one. */
function codeOf(body: string, header: string | null): string | null {
  const found = header ?? /<Code>([^<]+)<\/Code>/.exec(body)?.[1] ?? /"(?:__type|code)"\s*:\s*"([^"]+)"/.exec(body)?.[1];
  return found === undefined ? null : found.split(':')[0]!.split('#').at(-1)!;
}

/** The text of an element of an answer that has it once. */
export function elementOf({ body }: AwsAnswer, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]+)</${name}>`).exec(body)?.[1];
}
