import { createHash } from 'node:crypto';

/** Letters of what lists are filtered by; longer texts are kept as their digest. */
const LONGEST = 200;

/** A tag, or its name alone, as a filter finds it: `team=payments`, `team`. */
export const tagKey = (tag: string): string =>
  tag.length <= LONGEST ? tag : createHash('sha256').update(tag.toWellFormed()).digest('base64url');

/** Everything by which the tags of a resource are found. */
export const tagKeys = (tags: Readonly<Record<string, unknown>>): string[] => [
  ...new Set(Object.entries(tags).flatMap(([name, value]) => [tagKey(name), tagKey(`${name}=${String(value)}`)])),
];
