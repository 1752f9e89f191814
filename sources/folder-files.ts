import { realpathSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import type { ReportFormat } from '../importers/index.js';
import { readBytes } from '../importers/readers/source.js';
import { manifestSource, recognise, reportSource } from './reports.js';
import { templateReader } from './templates.js';
import { readSourceText } from './text.js';
import type { Found } from './types.js';
import { mayHoldInventory, whyNotCode, whyUnchecked } from './unchecked.js';
import { unreadable } from './unreadable.js';

/** Manifests of one folder past this are read one by one. */
const MAX_TOGETHER = 64 * 1024 ** 2;

/**
 * Takes files of one folder that were found, not named: those that hold an inventory are read, manifests together; those that describe infrastructure
 * otherwise are told.
 * @param taken files that are read already, by where they lie
 * @returns how many of them hold an inventory
 */
export async function takeFiles(found: Found, folder: string, files: readonly string[], taken: Set<string>): Promise<number> {
  const manifests: { file: string; bytes: Buffer }[] = [];
  let manifest: ReportFormat | undefined;
  let held = 0;
  for (const file of files) {
    const reason = whyUnchecked(file);
    if (reason !== undefined) found.skipped.push({ file, reason });
    if (reason !== undefined) continue;
    if (!mayHoldInventory(basename(file))) {
      found.others += 1;
      continue;
    }
    try {
      const place = realpathSync(file);
      if (taken.has(place)) {
        held += 1;
        continue;
      }
      const { source, format, head } = await recognise(file);
      const readTemplate = format === undefined ? templateReader(file, head) : undefined;
      if (format === undefined && readTemplate === undefined) {
        takeUnknown(found, file, head);
        continue;
      }
      if (format === undefined) found.sources.push(readTemplate!(file, readSourceText(file), false));
      else if (format.name === 'kubernetes' && /\.ya?ml$/i.test(extname(file)) && (source.size ?? MAX_TOGETHER) < MAX_TOGETHER) {
        manifest = format;
        manifests.push({ file, bytes: await readBytes(source, MAX_TOGETHER) });
      } else found.sources.push(reportSource(file, source, format));
      taken.add(place);
      held += 1;
    } catch (error) {
      found.unreadable.push(unreadable(file, error));
    }
  }
  if (manifest === undefined) return held;
  const together = manifests.reduce((sum, { bytes }) => sum + bytes.length, 0) < MAX_TOGETHER;
  if (together) found.sources.push(manifestSource(folder, manifests, manifest));
  else for (const one of manifests) found.sources.push(manifestSource(dirname(one.file), [one], manifest));
  return held;
}

function takeUnknown(found: Found, file: string, head: string): void {
  const reason = whyNotCode(head);
  if (reason === undefined) found.others += 1;
  else found.skipped.push({ file, reason });
}
