import { Pool } from 'undici';

/** What a load found: requests answered, requests a second, and latencies in milliseconds. */
export interface LoadResult {
  count: number;
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

/** Does `step` over and over, `connections` at a time, for `seconds`, and as long as `isOn` says. */
export async function loadOf(
  step: () => Promise<unknown>,
  { seconds, connections, isOn = () => true }: { seconds: number; connections: number; isOn?: () => boolean },
): Promise<LoadResult> {
  const latencies: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  const repeat = async () => {
    while (performance.now() < end && isOn()) {
      const sent = performance.now();
      await step();
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, repeat));
  const took = (performance.now() - began) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    count: latencies.length,
    perSecond: latencies.length / took,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
  };
}

/**
 * Asks `url` over and over on `connections` kept-open connections for `seconds`.
 * @throws when an answer is not 200
 */
export async function load(url: string, cookie: string, given: { seconds: number; connections: number }): Promise<LoadResult> {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: given.connections, pipelining: 1 });
  const result = await loadOf(async () => {
    const { statusCode, body } = await pool.request({ method: 'GET', path: pathname + search, headers: { cookie } });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${text.slice(0, 300)}`);
  }, given);
  await pool.close();
  return result;
}

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
