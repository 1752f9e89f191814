import type { Severity } from '../../../schema/model.js';
import { hostItems } from '../../normalize/host-finding.js';
import { hostPlace } from '../../normalize/host.js';
import type { ReportItems } from '../../normalize/observation.js';
import { wordsOf } from '../../normalize/plain-title.js';
import { findCves } from '../../normalize/taxonomy.js';
import { compact, numberAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** A server as it was named, and the address that was tried. */
export interface TlsServer {
  host: string | undefined;
  ip: string | undefined;
  port: string | undefined;
}

/** Facts (INFO) are no findings; WARN, FATAL and DEBUG tell of the scan. */
const SEVERITIES: Readonly<Record<string, Severity>> = { CRITICAL: 'critical', HIGH: 'high', MEDIUM: 'medium', LOW: 'low', OK: 'info' };
const UNSURE = new Set(['WARN', 'FATAL']);
/** Ids of protocols -> how they are written elsewhere. */
const PROTOCOLS: Readonly<Record<string, string>> = {
  SSLv2: 'SSLv2',
  SSLv3: 'SSLv3',
  TLS1: 'TLSv1.0',
  TLS1_1: 'TLSv1.1',
  TLS1_2: 'TLSv1.2',
  TLS1_3: 'TLSv1.3',
};

/** Turns what a check says of a server into its rule and observation; tells `note` of the server and whether the check was made. */
export function readFinding(
  record: JsonObject,
  { host, ip, port }: TlsServer,
  position: string,
  note: (artifact: string, isSure: boolean) => void,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  const [, id = '', certificate] = /^(.*?)(?: <(.+)>)?$/s.exec(requireText(record, 'id')) ?? [];
  const word = requireText(record, 'severity').toUpperCase();
  const finding = textAt(record, 'finding') ?? '';
  const base = hostPlace({ names: [host, ip], addresses: [ip] }, options);
  const place = { ...base, artifact: `${base.resource_uid}:${port ?? ''}` };
  // what the machine lacks that scans is told of no server in particular
  if (id !== 'engine_problem' && id !== 'scanTime') note(place.artifact, !UNSURE.has(word));
  const severity = Object.hasOwn(SEVERITIES, word) ? SEVERITIES[word] : undefined;
  if (severity === undefined) return [];
  const cves = findCves([textAt(record, 'cve') ?? '']);
  const number = numberAt({ port }, 'port');
  return hostItems(
    {
      source: 'testssl',
      engine: 'encryption',
      ruleId: id,
      ruleTitle: wordsOf(id),
      title: `${wordsOf(id)}: ${finding.length > 120 ? `${finding.slice(0, 119)}…` : finding}`,
      severity,
      result: word === 'OK' ? 'PASS' : 'FAIL',
      place,
      // servers behind one name may differ
      discriminator: [port, ip, certificate].filter((part) => part !== undefined && part !== '').join(' '),
      detail: finding,
      cwes: [textAt(record, 'cwe') ?? ''],
      urls: cves.map((cve) => `https://nvd.nist.gov/vuln/detail/${cve}`),
      evidence: compact({
        host: base.resource_uid,
        port: number !== undefined && Number.isInteger(number) ? number : undefined,
        ip,
        protocol: Object.hasOwn(PROTOCOLS, id) ? PROTOCOLS[id] : undefined,
        cipher: id.startsWith('cipher') && word !== 'OK' ? finding.slice(0, 300) : undefined,
        not_after: id === 'cert_notAfter' ? finding : undefined,
        certificate,
        cves,
        check_result: word,
      }),
      position,
    },
    items,
  );
}
