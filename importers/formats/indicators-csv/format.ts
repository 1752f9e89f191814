import { addressObservable, domainObservable, hashObservable, urlObservable, type Observable } from '../../../schema/observables.js';
import { indicatorItem } from '../../normalize/indicator.js';
import { importRecords } from '../../normalize/record-items.js';
import { findCsvHeader } from '../../readers/csv/header.js';
import { readCsv } from '../../readers/csv/records.js';
import { BrokenRecord, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import { parseTime } from '../../readers/time.js';
import type { ImportItem, ReportFormat } from '../../types.js';

const RULES = { columns: ['indicator', 'indicator_type'] };

/** What lists call the kinds of indicators, and how a value of one is spelled. */
const KINDS: Readonly<Record<string, (text: string) => Observable>> = {
  ...{ ip: addressObservable, ipv4: addressObservable, ipv6: addressObservable, cidr: addressObservable, address: addressObservable },
  ...{ 'ipv4-addr': addressObservable, 'ipv6-addr': addressObservable, network: addressObservable },
  ...{ domain: domainObservable, 'domain-name': domainObservable, hostname: domainObservable },
  ...{ url: urlObservable, uri: urlObservable },
  ...{ md5: hashObservable, sha1: hashObservable, sha256: hashObservable, sha512: hashObservable, hash: hashObservable },
  ...{ 'file-hash': hashObservable, file_hash: hashObservable },
};

/** Lists of indicators as CSV. One row is one indicator; what a row leaves out is not known of it. */
export const format: ReportFormat = {
  name: 'indicators_csv',
  label: 'CSV list of indicators',
  engines: ['threat'],
  detection:
    'CSV with the columns indicator and indicator_type (ip, cidr, domain, url, md5, sha1, sha256, sha512), and where there are any id, name, confidence, labels, valid_from, valid_until, modified and revoked.',
  produce: "printf 'indicator,indicator_type,confidence,valid_from\\n203.0.113.7,ip,80,2026-01-01T00:00:00Z\\n' > indicators.csv",
  detect: (head) => findCsvHeader(head, RULES) !== undefined,
  read: (source) => importRecords(readCsv(source, RULES), (row, { position }) => [readRow(row, position)]),
};

function readRow(row: JsonObject, position: string): ImportItem {
  const type = requireText(row, 'indicator_type').trim().toLowerCase();
  const read = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (read === undefined) throw new BrokenRecord(`indicator_type is ${type.slice(0, 50)}; there are ${Object.keys(KINDS).join(', ')}`);
  const value = valueOf(read, requireText(row, 'indicator'));
  return indicatorItem({
    indicator_id: textAt(row, 'id')?.trim() ?? `${value.kind}:${value.value}`.slice(0, 256),
    values: [value],
    name: textAt(row, 'name'),
    labels: (textAt(row, 'labels') ?? '').split(/[;,|]/).flatMap((label) => label.trim() || []),
    confidence: confidenceOf(row),
    valid_from: timeOf(row, 'valid_from'),
    valid_until: timeOf(row, 'valid_until'),
    modified: timeOf(row, 'modified'),
    revoked: isRevoked(row),
    position,
  });
}

function valueOf(read: (text: string) => Observable, text: string): Observable {
  try {
    return read(text);
  } catch (error) {
    throw new BrokenRecord(error instanceof Error ? error.message : 'the value cannot be read');
  }
}

function confidenceOf(row: JsonObject): number | undefined {
  const text = textAt(row, 'confidence')?.trim();
  if (text === undefined) return undefined;
  if (!/^\d{1,3}$/.test(text)) throw new BrokenRecord('confidence is no number from 0 to 100');
  return Number(text);
}

function isRevoked(row: JsonObject): boolean {
  const text = textAt(row, 'revoked')?.trim().toLowerCase() ?? 'false';
  if (!['true', 'false', '1', '0', 'yes', 'no'].includes(text)) throw new BrokenRecord('revoked is neither true nor false');
  return ['true', '1', 'yes'].includes(text);
}

function timeOf(row: JsonObject, key: string): Date | undefined {
  const text = textAt(row, key);
  if (text === undefined) return undefined;
  const time = parseTime(text.trim());
  if (time === undefined) throw new BrokenRecord(`${key} is no time`);
  return time;
}
