import type { ReportSource } from '../../types.js';

/** What an archive holds, in its order. Names are labels: nothing is looked up or written by them. */
export type ArchiveItem =
  | {
      kind: 'entry';
      name: string;
      source: ReportSource;
      /** Its first bytes, DETECT_BYTES of them or more, where reading them from `source` takes long. */
      head?: ReportSource;
    }
  /** An entry that is not opened, and why, as the end of a sentence about it. */
  | { kind: 'refused'; name: string; reason: string }
  /** The archive is damaged past this point. Always the last item. */
  | { kind: 'truncated'; reason: string };

/** What bounds an archive. Bytes are those after decompression of all entries together: the bound of the report that the archive is. */
export const ARCHIVE_LIMITS = {
  /** Entries, folders included. */
  maxEntries: 2_000,
  /** How many times its size an entry may unpack to, once it is larger than `freeBytes`. */
  maxRatio: 500,
  freeBytes: 16 * 1024 ** 2,
  /** Entries of a tar archive that are not larger are kept while they are read; others are read from the archive each time. */
  keptBytes: 16 * 1024 ** 2,
  /** How many times the largest report may be decompressed again to come to large entries of a compressed tar archive. */
  maxReplays: 4,
} as const;

const MAX_NAME = 200;
/** Control characters, ends of lines, and what turns the direction of writing. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** The name of an entry as a label: on one line, and not longer than people read. */
export function labelOf(name: string): string {
  const label = name.replace(CONTROL, '\uFFFD');
  return label.length <= MAX_NAME ? label : `…${label.slice(-MAX_NAME)}`;
}

/** Whether an entry is what a system leaves in an archive beside its files. */
export const isLeftover = (name: string): boolean =>
  name.endsWith('/') || /(?:^|\/)(?:__MACOSX\/.*|\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*)$/i.test(name);
