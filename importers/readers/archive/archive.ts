import { readBytes } from '../source.js';
import { NotOfFormat, type ReportSource } from '../../types.js';
import { listItems } from './json-list.js';
import { isTar, tarItems } from './tar.js';
import { isZip, zipItems } from './zip.js';
import type { ArchiveItem } from './entry.js';

export { firstElement } from './json-list.js';
export { labelOf, type ArchiveItem } from './entry.js';

/** What reports come in: archives, of which a tar archive may be compressed by gzip, and lists in JSON. */
export type ArchiveKind = 'zip' | 'tar' | 'list';

const HEAD_BYTES = 512;

/** Which archive begins with these bytes. */
export const archiveOf = (head: Buffer): ArchiveKind | undefined => (isZip(head) ? 'zip' : isTar(head) ? 'tar' : undefined);

/**
 * Which archive a report is, by its first bytes; undefined for a report that is none. Throws NotOfFormat for a zip archive that is compressed
 * once more: it is read from its end.
 */
export async function archiveKind(source: ReportSource): Promise<ArchiveKind | undefined> {
  const kind = archiveOf(await readBytes(source, HEAD_BYTES));
  if (kind === 'zip' && source.size === undefined)
    throw new NotOfFormat('a zip archive that is compressed by gzip is not opened: send the zip archive');
  return kind;
}

/**
 * What an archive holds. An entry's source is good until the next item is asked for; it decompresses an entry that is compressed by itself.
 * Throws NotOfFormat for an archive that cannot be opened at all or has too many entries, ReportTooLarge for one that unpacks to more than
 * the source allows. Needs `source.stored` for a zip archive.
 * @param maxEntries of a zip archive, where more are read than of reports
 */
export function archiveItems(source: ReportSource, kind: ArchiveKind, maxEntries?: number): AsyncGenerator<ArchiveItem, void> {
  if (kind === 'tar') return tarItems(source);
  if (kind === 'list') return listItems(source);
  if (source.stored === undefined) throw new Error('a zip archive is read from any place');
  return zipItems(source.stored, source.maxBytes ?? Number.POSITIVE_INFINITY, maxEntries);
}
