import type { Reply } from '../support/receiver.js';

/** An answer in JSON. */
export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** A page of a list: what stands from `from` on, and where the next one begins. */
export function pageAt<Thing>(all: readonly Thing[], from: number, size: number): { page: Thing[]; next: number | undefined } {
  const end = from + size;
  return { page: all.slice(from, end), next: end < all.length ? end : undefined };
}

/** A call as a stand for many hosts got it: collectors of tests call `http://127.0.0.1:…/<host>/…`. */
export function hostAndPath(path: string): { host: string; url: URL } {
  const [, host = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
  return { host, url: new URL(rest, `https://${host}`) };
}
