import { RECORD_LIMITS, type RecordLimits } from '../limits.js';
import { damageOf, isDamage, withFirst } from '../source.js';
import { NotOfFormat, type ReportSource } from '../../types.js';
import { CSV_HEAD_BYTES, headerOfBytes, type CsvHeader, type HeaderRules } from './header.js';
import { CsvScan } from './scan.js';
import type { CsvItem } from './row.js';

/** How a CSV report is written. */
export interface CsvRules extends HeaderRules {
  /** Whether rows may leave out cells at their end; otherwise such a row is broken. */
  readonly isRagged?: boolean;
  /** Whether quotes may stand in fields that are not quoted: tools that quote nothing write them so. */
  readonly hasBareQuotes?: boolean;
}

/**
 * Reads the rows of a CSV report (RFC 4180; also with semicolons, tabs or bars), one at a time: memory is that of the largest row. The
 * fields of readers/json/fields.ts read a row's cells: `textAt(row, 'cve id')`.
 *
 * A row is broken that has a fault in its quoting, more or fewer fields than the header, or is beyond the limits; reading goes on behind
 * it. Rows without any content are passed over. A report that ends inside of a row is `truncated` there.
 *
 * Throws NotOfFormat when no line that may be the header has all of `columns`, and what the source throws (ReportTooLarge, file errors).
 * Damaged compression is `truncated`.
 *
 * @param limits of one row; what is left out is that of RECORD_LIMITS
 */
export async function* readCsv(
  source: ReportSource,
  rules: CsvRules,
  limits: Partial<RecordLimits> = {},
): AsyncGenerator<CsvItem, void, undefined> {
  let scan: CsvScan | undefined;
  let damage: string | undefined;
  try {
    for await (const chunk of withFirst(source.open() as AsyncIterable<Buffer>, CSV_HEAD_BYTES)) {
      if (scan === undefined) {
        const header = findHeader(chunk, rules);
        scan = scanBehind(header, chunk, rules, limits);
        scan.take(chunk.subarray(header.end));
      } else scan.take(chunk);
      for (const item of scan.items) yield item;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    damage = damageOf(error);
  }
  if (scan === undefined) throw new NotOfFormat(`expected ${expectedOf(rules)}, found ${damage ?? 'nothing'}`);
  scan.finish();
  let isCut = false;
  for (const item of scan.items) {
    isCut ||= item.kind === 'truncated';
    yield item.kind === 'truncated' && damage !== undefined ? { ...item, reason: `${item.reason}: ${damage}` } : item;
  }
  if (damage !== undefined && !isCut) yield { kind: 'truncated', position: scan.place, reason: damage };
}

function findHeader(head: Buffer, rules: CsvRules): CsvHeader {
  const header = headerOfBytes(head, rules);
  if (header !== undefined && header.columns.length <= RECORD_LIMITS.maxFields) return header;
  const found = headerOfBytes(head, { columns: [] })?.columns.join(', ') ?? 'nothing';
  throw new NotOfFormat(`expected ${expectedOf(rules)}, found ${found.slice(0, 300)}`);
}

function scanBehind(
  { columns, delimiter, nextLine, end }: CsvHeader,
  head: Buffer,
  rules: CsvRules,
  limits: Partial<RecordLimits>,
): CsvScan {
  const syntax = { delimiter, oldLineEnds: head.includes('\r') && !head.includes('\n'), bareQuotes: rules.hasBareQuotes === true };
  return new CsvScan({ syntax, columns, isRagged: rules.isRagged === true }, { ...RECORD_LIMITS, ...limits }, nextLine, end);
}

const expectedOf = ({ columns }: CsvRules): string =>
  `a CSV report${columns.length === 0 ? '' : ` with the columns ${columns.join(', ')}`}`;
