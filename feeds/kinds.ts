/** The feeds that are loaded: known exploited vulnerabilities (CISA), exploit predictions (FIRST), advisories about packages (OSV). */
export const FEED_KINDS = ['kev', 'epss', 'osv'] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

/** A file that is no feed of its kind, or is damaged: nothing of it is taken. The message is for people. */
export class NotOfFeed extends Error {
  override readonly name = 'NotOfFeed';
}
