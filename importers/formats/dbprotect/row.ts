import { outsidePlace } from '../../normalize/artifact.js';
import { hostItems } from '../../normalize/host-finding.js';
import { shortHash } from '../../normalize/identity.js';
import type { ReportItems } from '../../normalize/observation.js';
import { coverage } from '../../normalize/scope.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact } from '../../readers/json/fields.js';
import { BrokenRecord } from '../../readers/record.js';
import { childrenOf, textOf } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ImportItem, ImportOptions } from '../../types.js';

const SOURCE = 'dbprotect';
/** Facts are no findings; a check that failed or was skipped has not looked. */
const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS' | 'fact' | 'none'>> = {
  finding: 'FAIL',
  'not a finding': 'PASS',
  fact: 'fact',
  failed: 'none',
  skipped: 'none',
};

/**
 * Turns one row into its rule and observation. A check has a row for each thing that it found, so a check that has looked at a database
 * covers what it found there before.
 */
export function readRow(
  row: XmlElement,
  columns: readonly string[],
  position: string,
  covered: Set<string>,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  const values = childrenOf(row, 'value').map(textOf);
  const at = (name: string): string | undefined => values[columns.indexOf(name)];
  const check = at('check id');
  if (check === undefined) throw new BrokenRecord('row has no Check ID');
  const status = at('result status')?.toLowerCase() ?? 'finding';
  const result = Object.hasOwn(RESULTS, status) ? RESULTS[status] : undefined;
  if (result === undefined) throw new BrokenRecord(`the Result Status ${status.slice(0, 50)} is unknown`);
  if (result === 'none') return [];
  const database = databaseOf(at('asset'), at('ip address, port, instance'), check, options);
  const { place } = database;
  const scope = place.artifact as string;
  const scopes = covered.has(scope) ? [] : [coverage('dbsec', scope, SOURCE, options)];
  covered.add(scope);
  if (result === 'fact') return scopes;
  const details = at('details')?.replace(/(passwords?\s?=)[^;]*/gi, '$1***');
  const title = at('check') ?? `Check ${check}`;
  const name = /(?:^|;)Database(?: name)?=([^;]+)/i.exec(details ?? '')?.[1];
  return [
    ...scopes,
    ...hostItems(
      {
        source: SOURCE,
        engine: 'dbsec',
        ruleId: `dbprotect-${check}`,
        title,
        severity: toSeverity(at('risk dv')) ?? toSeverity(at('risk')) ?? 'medium',
        result,
        place,
        discriminator: details === undefined || result === 'PASS' ? undefined : shortHash(details),
        detail: details,
        evidence: compact({
          database: name ?? database.instance,
          engine_version: at('asset type'),
          check_category: at('check category'),
          policy: at('policy'),
          host: database.host,
          port: database.port,
          instance: database.instance,
          organization: at('organization'),
          checked_at: at('date'),
        }),
        position,
      },
      items,
    ),
  ];
}

/** The instance of a database server, by its host's name and port. */
function databaseOf(asset: string | undefined, address: string | undefined, check: string, options: ImportOptions) {
  const [ip, port, instance] = (address ?? '').split(',').map((part) => part.trim());
  const host = (asset ?? ip ?? 'database').toLowerCase();
  const uid = [port === undefined || port === '' ? host : `${host}:${port}`, ...(instance ? [instance] : [])].join('/');
  const outside = outsidePlace(uid, 'database_instance', options, instance ? `${host}/${instance}` : host);
  const place = {
    ...outside,
    artifact: `${uid} (check ${check})`,
    provider_metadata: { ...outside.provider_metadata, ...(ip && { addresses: [ip] }) },
  };
  const number = Number(port);
  return { place, host, instance: instance || undefined, port: Number.isInteger(number) && number > 0 ? number : undefined };
}
