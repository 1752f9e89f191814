import { fileSource } from '../importers/readers/source.js';
import { periodic } from '../kit/engine/background.js';
import type { EngineServices } from '../kit/engine/context.js';
import { ForbiddenTarget } from '../kit/outbound/outbound.js';
import { fetchFeed } from './fetch.js';
import { FEED_KINDS, NotOfFeed, type FeedKind } from './kinds.js';
import { loadFeed, MAX_BYTES } from './load.js';
import { feedStates } from './records.js';

const HOUR = 60 * 60_000;
/** How long a copy that was fetched, or a failure, stands before the server is asked again. */
const FRESH_FOR = 23 * HOUR;
const RETRY = HOUR;

const SETTINGS = { kev: 'FEEDS_URL_KEV', epss: 'FEEDS_URL_EPSS', osv: 'FEEDS_URL_OSV' } as const;

/** Fetches feeds whose address is set, once a day; those that failed are tried again after an hour. */
export const feedTask = periodic('vulnerability-feeds', HOUR, async (services, signal) => {
  for (const kind of FEED_KINDS) {
    const url = services.config[SETTINGS[kind]];
    if (url !== undefined) await updateFeed(services, kind, url, signal);
  }
});

/** Fetches one feed where it is time to, and loads what has changed. What fails is noted and leaves the last good copy. */
export async function updateFeed(services: EngineServices, kind: FeedKind, url: string, signal: AbortSignal): Promise<void> {
  const { database, clock, outbound, logger } = services;
  const states = database.system(feedStates);
  const state = await states.findOne({ _id: kind });
  const now = clock.now();
  const isFresh = state?.checked_at && now.getTime() - state.checked_at.getTime() < (state.error === null ? FRESH_FOR : RETRY - 1_000);
  if (isFresh) return;
  const note = (error: string | null) =>
    states.update(
      { _id: kind },
      { $set: { checked_at: clock.now(), error }, $setOnInsert: { version: null, records: 0, loaded_at: null, etag: null } },
      { upsert: true },
    );
  try {
    const fetched = await fetchFeed(outbound, kind, url, state?.etag ?? null, signal);
    if (fetched === null) return void (await note(null));
    try {
      await loadFeed(services, kind, fileSource(fetched.file, { maxBytes: MAX_BYTES[kind] }), fetched.etag);
    } finally {
      await fetched.remove();
    }
  } catch (error) {
    signal.throwIfAborted();
    logger.error({ err: error, feed: kind }, 'a vulnerability feed could not be updated: the last good copy stays');
    // the endpoint that tells it is public: no address and no error of the system
    await note(error instanceof NotOfFeed || error instanceof ForbiddenTarget ? error.message : 'it could not be fetched');
  }
}
