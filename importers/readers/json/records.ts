import { RECORD_LIMITS, type RecordLimits } from '../limits.js';
import { parsePaths } from './paths.js';
import { JsonScan } from './scan.js';
import { damageOf, isDamage } from '../source.js';
import { NotOfFormat, type ReportSource } from '../../types.js';
import type { JsonItem } from './item.js';

/** Limits for one value; past them it is `broken`. What is left out is that of RECORD_LIMITS. */
export type JsonLimits = Partial<RecordLimits>;

/**
 * Reads the values at the given paths of a JSON report (RFC 8259), each parsed alone, the rest skipped unread: memory is
 * that of the largest value. Paths are like `$` (a root object, whole, also one after another as in JSON lines), `$[*]`,
 * `ArtifactName`, `Results[*].Vulnerabilities[*]`; no path may lie inside another's value. What else a value needs from its
 * surroundings is read in a first pass over the same source, whatever the order of members.
 *
 * Throws NotOfFormat when the report is empty or is neither an object nor an array; and what the source throws
 * (ReportTooLarge, file errors). Damaged compression is `truncated`.
 */
export async function* readJson(
  source: ReportSource,
  paths: readonly string[],
  limits: JsonLimits = {},
): AsyncGenerator<JsonItem, void, undefined> {
  const scan = new JsonScan(parsePaths(paths), { ...RECORD_LIMITS, ...limits });
  let damage: string | undefined;
  try {
    for await (const chunk of source.open() as AsyncIterable<Buffer>) {
      scan.window.push(chunk);
      for (let item = scan.next(); item !== undefined; item = scan.next()) yield checked(item, scan);
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    damage = damageOf(error);
  }
  scan.window.ended = true;
  let isCut = false;
  for (let item = scan.next(); item !== undefined; item = scan.next()) {
    isCut ||= item.kind === 'truncated';
    yield damage !== undefined && item.kind === 'truncated' ? { ...item, reason: `${item.reason}: ${damage}` } : checked(item, scan);
  }
  if (scan.root === undefined) throw new NotOfFormat(damage ?? 'expected a JSON report, found nothing');
  // bytes that do not fit their checksum may be wrong anywhere
  if (damage !== undefined && !isCut) yield { kind: 'truncated', position: '$', reason: damage, offset: scan.window.offset() };
}

function checked(item: JsonItem, scan: JsonScan): JsonItem {
  if (scan.root === 'other') throw new NotOfFormat(`expected a JSON report: ${'reason' in item ? item.reason : 'found other text'}`);
  return item;
}
