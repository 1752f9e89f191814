import { ReportTooLarge } from '../importers/readers/source.js';
import { NotOfFormat, type ReportSource } from '../importers/types.js';
import type { EngineServices } from '../kit/engine/context.js';
import { askForMatches } from './ask-for-matches.js';
import { epssVersion, readEpss } from './epss.js';
import { readKev } from './kev.js';
import { NotOfFeed, type FeedKind } from './kinds.js';
import { readOsv } from './osv.js';
import { feedStates } from './records.js';
import { askForRescores } from './rescore.js';
import { writeAdvisories } from './write-advisories.js';
import { writeEpss, writeKev } from './write-intelligence.js';

export type FeedServices = Pick<EngineServices, 'database' | 'storeClock' | 'clock' | 'logger'>;

/** What came of loading a feed. */
export interface LoadedFeed {
  readonly version: string | null;
  readonly records: number;
  readonly changed: number;
}

/** The largest file of each kind in bytes, decompressed. */
export const MAX_BYTES: Readonly<Record<FeedKind, number>> = { kev: 64 * 1024 ** 2, epss: 256 * 1024 ** 2, osv: 16 * 1024 ** 3 };

/** Reads a file to its end without writing anything. @throws NotOfFeed, NotOfFormat, ReportTooLarge */
async function check(kind: FeedKind, source: ReportSource): Promise<void> {
  let records = 0;
  for await (const _ of kind === 'epss' ? readEpss(source) : readOsv(source)) records++;
  if (records === 0) throw new NotOfFeed(kind === 'epss' ? 'it holds no score' : 'it holds no advisory');
}

async function take({ database }: FeedServices, kind: FeedKind, source: ReportSource): Promise<LoadedFeed> {
  if (kind === 'kev') {
    const catalog = await readKev(source);
    return { version: catalog.version, ...(await writeKev(database, catalog)) };
  }
  // what is damaged at its end changes nothing: the last good copy stays
  await check(kind, source);
  return kind === 'epss'
    ? { version: await epssVersion(source), ...(await writeEpss(database, readEpss(source))) }
    : { version: null, ...(await writeAdvisories(database, readOsv(source))) };
}

/**
 * Loads a file of a feed for all tenants, and has their vulnerabilities scored anew, or their components held against what advisories say now. The
 * same file again changes nothing.
 * @param etag what the server called it, where it was fetched
 * @throws NotOfFeed, with the reason, for a file that is none or is damaged: the copy from before stays
 */
export async function loadFeed(
  services: FeedServices,
  kind: FeedKind,
  source: ReportSource,
  etag: string | null = null,
): Promise<LoadedFeed> {
  const { database, clock } = services;
  const loaded = await take(services, kind, source).catch((error: unknown) => {
    throw error instanceof NotOfFormat || error instanceof ReportTooLarge ? new NotOfFeed(error.message) : error;
  });
  const now = clock.now();
  const state = { version: loaded.version, records: loaded.records, loaded_at: now, checked_at: now, etag, error: null };
  await database.system(feedStates).update({ _id: kind }, { $set: state }, { upsert: true });
  await (kind === 'osv' ? askForMatches(services) : askForRescores(services));
  services.logger.info({ feed: kind, ...loaded }, 'a vulnerability feed was loaded');
  return loaded;
}
