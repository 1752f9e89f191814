import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Outbound } from '../kit/outbound/outbound.js';
import { NotOfFeed, type FeedKind } from './kinds.js';

/** The largest answer of each kind in bytes, as it is sent. */
const MAX_SENT: Readonly<Record<FeedKind, number>> = { kev: 64 * 1024 ** 2, epss: 64 * 1024 ** 2, osv: 4 * 1024 ** 3 };
const TIMEOUT_MS: Readonly<Record<FeedKind, number>> = { kev: 60_000, epss: 120_000, osv: 30 * 60_000 };
const MAX_REDIRECTS = 3;

/** A copy that was fetched, in a file that is removed by `remove`. */
export interface FetchedFeed {
  readonly file: string;
  readonly etag: string | null;
  remove(): Promise<void>;
}

/**
 * Fetches a feed. Each address on the way is checked as those that tenants enter.
 * @param etag of the copy that is there: the same one is not sent again
 * @returns null where the server has no other copy
 * @throws NotOfFeed for other answers; ForbiddenTarget; what fetch throws
 */
export async function fetchFeed(
  outbound: Pick<Outbound, 'fetch'>,
  kind: FeedKind,
  url: string,
  etag: string | null,
  signal: AbortSignal,
): Promise<FetchedFeed | null> {
  let target = url;
  for (let redirects = 0; ; redirects++) {
    const headers = { ...(etag !== null && { 'if-none-match': etag }) };
    const answer = await outbound.fetch(target, { headers, signal, timeoutMs: TIMEOUT_MS[kind] });
    const location = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
    if (location === null || answer.status === 304) return kept(kind, answer);
    await answer.body?.cancel();
    if (redirects === MAX_REDIRECTS) throw new NotOfFeed('the server redirects too often');
    target = new URL(location, target).href;
  }
}

async function kept(kind: FeedKind, answer: Awaited<ReturnType<Outbound['fetch']>>): Promise<FetchedFeed | null> {
  if (answer.status !== 200 || !answer.body) {
    await answer.body?.cancel();
    if (answer.status === 304) return null;
    throw new NotOfFeed(`the server answers ${answer.status}`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'palisade-feed-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const file = join(folder, kind);
  try {
    await pipeline(Readable.fromWeb(answer.body), bounded(MAX_SENT[kind]), createWriteStream(file, { mode: 0o600 }));
  } catch (error) {
    await remove();
    throw error;
  }
  return { file, etag: answer.headers.get('etag'), remove };
}

function bounded(most: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > most) done(new NotOfFeed(`the server sends more than ${most} bytes`));
      else done(null, chunk);
    },
  });
}
